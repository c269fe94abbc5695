import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../../src/http/contract.ts'
import { hostedOrganizationContract } from '../../../src/organizations/hosted/contract.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Client, createClient } from '../../support/client.ts'
import { joined, owner } from './people.ts'

let t: TestApp
let ann: Client
let acme: string
beforeAll(async () => {
  t = await testApp({ config: { organizations: { roles: { recruiter: { invitation: ['create'] }, payroll_admin: {} } } } })
  ;({ client: ann, organizationId: acme } = await owner(t, 'ann@example.com', 'acme'))
})
afterAll(() => t.stop())

const view = (client: Client, organizationSlug = 'acme') =>
  createApi(hostedOrganizationContract, (path, init) => client.fetch(path, init)).viewOrganization({
    query: { organizationSlug },
  })

const everything = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
  billing: ['read'],
  'api-key': ['read', 'create', 'update', 'delete'],
  audit: ['read'],
}
const nothing = { organization: [], member: [], invitation: [], team: [], billing: [], 'api-key': [], audit: [] }

const givable = ({ roles }: Awaited<ReturnType<typeof view>>) => roles.flatMap(({ name, canAssign }) => (canAssign ? [name] : []))

test('the pages get the permissions of an owner and whether the owner is the only one', async () => {
  const seen = await view(ann, 'ACME')
  expect(seen.organization).toMatchObject({ id: acme, slug: 'acme' })
  expect(seen.member).toMatchObject({ role: 'owner', isOnlyOwner: true })
  expect(seen.permissions).toEqual(everything)
  expect(givable(seen)).toEqual(['owner', 'admin', 'member', 'recruiter', 'payroll_admin'])
})

test('the pages offer an organization admin neither deleting the organization nor assigning the owner role', async () => {
  const { client } = await joined(t, acme, 'adam@example.com', 'admin')
  const seen = await view(client)
  expect(seen.permissions).toEqual({ ...everything, organization: ['update'], audit: [] })
  expect(givable(seen)).toEqual(['admin', 'member', 'recruiter'])
  expect(seen.roles.find(({ name }) => name === 'payroll_admin')).toEqual({
    ...{ name: 'payroll_admin', canAssign: false, canManage: true },
  })
})

test('the pages offer a plain member no action, and combine the permissions of several roles', async () => {
  const member = await joined(t, acme, 'mia@example.com', 'member')
  expect((await view(member.client)).permissions).toEqual(nothing)
  const both = await joined(t, acme, 'rae@example.com', 'member,recruiter')
  const seen = await view(both.client)
  expect(seen.permissions).toEqual({ ...nothing, invitation: ['create'] })
  expect(givable(seen)).toEqual(['member', 'recruiter'])
})

test('no owner is shown as the only owner while there is a second owner', async () => {
  const { client } = await joined(t, acme, 'olga@example.com', 'admin,owner')
  expect((await view(client)).member.isOnlyOwner).toBe(false)
  expect((await view(ann)).member.isOnlyOwner).toBe(false)
})

test('non-members and removed members get the same response as for an unknown organization', async () => {
  const stranger = await t.signedIn('eve@example.com')
  const removed = await joined(t, acme, 'rex@example.com', 'owner')
  await ann.api.members.removeMember({ body: { memberIdOrEmail: removed.id } })
  const ask = async (client: Client, slug: string) => {
    const { status, text } = await client.request(`/hosted/organization?organizationSlug=${slug}`)
    return { status, text }
  }
  const unknown = await ask(stranger, 'nobody')
  expect(unknown.status).toBe(400)
  expect(JSON.parse(unknown.text).code).toBe('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION')
  expect(await ask(stranger, 'acme')).toEqual(unknown)
  expect(await ask(removed.client, 'acme')).toEqual(unknown)
  expect((await t.client().request('/hosted/organization?organizationSlug=acme')).status).toBe(401)
})

test('the pages do not offer deletion if it is off, and do not exist if organizations are off', async () => {
  const kept = await t.node({ organizations: { deletionEnabled: false } })
  const off = await t.node({ organizations: { enabled: false } })
  const at = ({ url }: TestApp) => {
    const client = createClient(url)
    for (const [name, value] of ann.cookies) client.cookies.set(name, value)
    return client
  }
  expect((await view(at(kept))).permissions['organization']).toEqual(['update'])
  expect((await at(off).request('/hosted/organization?organizationSlug=acme')).status).toBe(404)
  await kept.stop()
  await off.stop()
})
