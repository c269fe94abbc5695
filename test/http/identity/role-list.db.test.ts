import { afterAll, beforeAll, expect, test } from 'vitest'
import { instancePermissions, permissions } from '../../../src/access/permissions.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  const roles = {
    clerk: { permissions: ['customers:*'], description: 'Reads what was paid' },
    support: { permissions: ['users:read'] },
  }
  t = await testApp({ config: { access: { roles } } })
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
})
afterAll(() => t.stop())

test('the instance roles are listed with their permissions, including configured roles', async () => {
  const { roles } = await admin.api.roles.listInstanceRoles()
  expect(roles.map(({ name, isBuiltIn }) => ({ name, isBuiltIn }))).toEqual([
    { name: 'admin', isBuiltIn: true },
    { name: 'auditor', isBuiltIn: true },
    { name: 'support', isBuiltIn: false },
    { name: 'user', isBuiltIn: true },
    { name: 'clerk', isBuiltIn: false },
  ])
  const given = (name: string) => roles.find((role) => role.name === name)?.permissions
  expect(given('admin')).toEqual(instancePermissions)
  expect(given('support')).toEqual(['users:read'])
  expect(given('clerk')).toEqual(['customers:read', 'customers:update', 'customers:delete'])
  expect(given('user')).toEqual([])
})

test('permissions are listed with their area, all permissions or the permissions of one area', async () => {
  const all = await admin.api.roles.listPermissions()
  expect(all.permissions).toEqual(Object.entries(permissions).map(([name, area]) => ({ name, area })))
  const ofInstance = await admin.api.roles.listPermissions({ query: { area: 'instance' } })
  expect(ofInstance.permissions.map(({ name }) => name)).toEqual(instancePermissions)
})

test('everybody sees the permissions of their session and whom to ask, and only people with instance permissions see the permissions of each role', async () => {
  const access = await admin.api.roles.readAccess()
  expect(access).toMatchObject({
    user: { email: 'root@example.com', role: 'admin' },
    permissions: instancePermissions,
    impersonatedBy: null,
  })
  const nobody = await t.signedIn('nobody@example.com')
  const { permissions: given, roles, user } = await nobody.api.roles.readAccess()
  expect(given).toEqual([])
  expect(user.role).toBe('user')
  expect(roles).toEqual(['admin', 'auditor', 'support', 'clerk'].map((name) => ({ name, permissions: [] })))
  expect(access.roles.map(({ permissions: ofRole }) => ofRole.length > 0)).toEqual([true, true, true, true])
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'nobody@example.com' }).update({ role: 'clerk' }))
  expect((await nobody.api.roles.readAccess()).permissions).toEqual(['customers:read', 'customers:update', 'customers:delete'])
  await expect(t.client().api.roles.readAccess()).rejects.toMatchObject({ status: 401 })
})
