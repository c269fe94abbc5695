import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiError } from '../../../src/http/client.ts'
import { etagOfResult } from '../../../src/http/conditional.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { imageOf } from '../../support/images.ts'

let t: TestApp
let admin: Client
let auditor: Client
beforeAll(async () => {
  t = await testApp({
    config: {
      organizations: {
        roles: { treasurer: { billing: ['read'], member: ['update'] }, payroll: { grants: ['treasurer'] } },
      },
    },
  })
  admin = await signedInAs(t, 'admin')
  auditor = await signedInAs(t, 'auditor')
})
afterAll(() => t.stop())

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: ApiError) => `${error.status} ${error.code}`,
  )

test('operators see the roles for members, including configured roles, with their permissions and the roles that may assign them', async () => {
  const { roles, creatorRole, permissions } = await auditor.api.allOrganizations.listOrganizationRoles()
  expect(creatorRole).toBe('owner')
  const byName = new Map(roles.map((role) => [role.name, role]))
  expect([...byName.keys()]).toEqual(['owner', 'admin', 'member', 'treasurer', 'payroll'])
  expect(byName.get('owner')?.permissions).toEqual(permissions)
  expect(byName.get('admin')?.permissions).not.toContain('organization:delete')
  const ofEveryMember = ['organization:read', 'member:read', 'invitation:read', 'team:read']
  expect(byName.get('member')).toEqual({
    ...{ name: 'member', isBuiltIn: true, permissions: ofEveryMember },
    givenBy: ['owner', 'admin', 'treasurer'],
  })
  expect(byName.get('treasurer')).toMatchObject({ isBuiltIn: false, givenBy: ['owner', 'admin', 'treasurer'] })
  expect(byName.get('treasurer')?.permissions).toEqual(expect.arrayContaining(['billing:read', 'member:update']))
  expect(byName.get('payroll')?.givenBy).toEqual(['owner', 'treasurer'])
})

test('an operator uploads and removes the logo of any organization, and needs the current ETag in If-Match', async () => {
  const made = await admin.api.allOrganizations.adminCreateOrganization({ body: { name: 'Acme', slug: 'acme' } })
  const path = `/admin/organizations/${made.id}/logo`
  const put = (client: Client, ifMatch = '*') =>
    imageOf().then((bytes) =>
      client.request(path, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream', origin: t.url, 'if-match': ifMatch },
        body: new Uint8Array(bytes),
      }),
    )
  expect((await put(auditor)).status).toBe(403)
  const uploaded = await put(admin, etagOfResult(made))
  expect(uploaded.json['logo']).toMatch(new RegExp(`^${t.url}/images/\\w{32}$`))
  expect((await put(admin, etagOfResult(made))).status).toBe(412)
  const params = { id: made.id }
  const read = await admin.api.allOrganizations.adminGetOrganization({ params })
  const removed = await admin.api.allOrganizations.adminRemoveOrganizationLogo({ params, ifMatch: etagOfResult(read) })
  expect(removed.logo).toBeNull()
  expect((await fetch(String(uploaded.json['logo']))).status).toBe(404)
  const nobody = { id: 'nobody' }
  expect(await codeOf(admin.api.allOrganizations.adminRemoveOrganizationLogo({ params: nobody }))).toBe('404 NOT_FOUND')
  const missing = await admin.request('/admin/organizations/nobody/logo', {
    method: 'PUT',
    headers: { origin: t.url },
    body: new Uint8Array(await imageOf()),
  })
  expect([missing.status, missing.json['code']]).toEqual([404, 'NOT_FOUND'])
  const broken = await admin.request(path, { method: 'PUT', headers: { origin: t.url }, body: new Uint8Array([1, 2, 3]) })
  expect(broken.json['code']).toBe('INVALID_IMAGE')
})
