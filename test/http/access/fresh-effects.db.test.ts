/** What an old session of an administrator, or of an owner of an organization, must not do: the table of all operations by what they lead to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { outcome } from '../../support/passkeys.ts'
import { operator } from '../organizations/people.ts'

let t: TestApp
let admin: Client
let owner: Client
let victimId: string
let organizationId: string
let memberId: string
const stale = [403, 'SESSION_IS_NOT_FRESH']

const idOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id

beforeAll(async () => {
  t = await testApp()
  admin = await t.signedIn('admin@example.com')
  owner = await t.signedIn('owner@example.com')
  await t.signedIn('victim@example.com')
  await t.signedIn('member@example.com')
  for (const email of ['admin@example.com', 'victim@example.com'])
    await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'admin' }))
  for (const email of ['admin@example.com', 'owner@example.com']) await t.verify(email)
  victimId = await idOf('victim@example.com')
  const ownerId = await idOf('owner@example.com')
  organizationId = (await t.app.organizations.createFor(operator, { name: 'Acme', slug: 'acme' }, ownerId, true)).id
  const added = { organization: organizationId, user: 'member@example.com', role: 'member', allowsUnverified: true }
  memberId = (await t.app.members.add(operator, added)).id
  t.clock.advance({ hours: 25 })
})
afterAll(() => t.stop())

const patch = (client: Client, path: string, body: object) =>
  client.request(path, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** What makes the service ask: calls whose contract asks nobody for a fresh session, because most of what they do needs none. */
const decided = {
  adminPatchUser: [
    () => patch(admin, `/admin/users/${victimId}`, { email: 'thief@example.com' }),
    () => patch(admin, `/admin/users/${victimId}`, { emailVerified: true }),
  ],
  adminUpdateUser: [() => admin.post('/admin/update-user', { userId: victimId, data: { email: 'thief@example.com' } })],
  adminCreateOrganization: [
    async () =>
      admin.post('/admin/organizations', {
        name: 'New',
        slug: 'newcomers',
        ownerId: await idOf('admin@example.com'),
        unverified: true,
      }),
  ],
  adminPatchOrganization: [() => patch(admin, `/admin/organizations/${organizationId}`, { requiresSecondFactor: true })],
  adminAddMember: [
    async () =>
      admin.post(`/admin/organizations/${organizationId}/members`, {
        userId: await idOf('admin@example.com'),
        role: 'owner',
        unverified: true,
      }),
  ],
  adminPatchMember: [() => patch(admin, `/admin/organizations/${organizationId}/members/${memberId}`, { role: 'owner' })],
  adminInvite: [
    () => admin.post(`/admin/organizations/${organizationId}/invitations`, { email: 'thief@example.com', role: 'owner' }),
  ],
  updateMemberRole: [() => owner.post('/organization/update-member-role', { organizationId, memberId, role: 'owner' })],
  inviteMember: [() => owner.post('/organization/invite-member', { organizationId, email: 'thief@example.com', role: 'owner' })],
  updateOrganization: [() => owner.post('/organization/update', { organizationId, data: { requiresSecondFactor: true } })],
  transferOwnership: [() => owner.post('/organization/transfer-ownership', { organizationId, memberId })],
  // A stored secret would go to the address that the caller names.
  trySettings: [() => admin.post('/admin/settings/try', { set: { 'social.acme.issuer': 'https://thief.example' } })],
  updateSettings: [() => patch(admin, '/admin/settings', { set: { 'oidc.accessTokenTtlSeconds': 7200 } })],
  applyDeclaration: [
    () =>
      admin.post('/admin/declarations/apply', {
        declaration: 'source: thief\nclients: { thief: { name: Thief, type: spa, redirectUris: [https://thief.example/cb] } }',
      }),
    () =>
      admin.post('/admin/declarations/apply', {
        declaration: 'source: thief\nsettings: { oidc.accessTokenTtlSeconds: 7200 }',
      }),
  ],
  deleteOrganization: [() => owner.post('/organization/delete', { organizationId })],
} as const

/** The others that change something: what they lead to gives nobody a way in, a role, a key, a secret or an organization. */
const harmless = new Set([
  // They end something, or take it back.
  ...['adminDeleteApiKey', 'banUser', 'unbanUser', 'adminEndSession', 'revokeUserSession', 'revokeUserSessions', 'endGrant'],
  ...[
    'endUserConsent',
    'endUserConsentForOrganization',
    'stopImpersonating',
    'adminCancelSecondFactorRecovery',
    'adminCancelInvitation',
    'adminRemoveMember',
  ],
  ...['cancelInvitation', 'rejectInvitation', 'removeMember', 'leaveOrganization'],
  // They read, or do again what was to be done anyway.
  ...['hasInstancePermission', 'hasPermission', 'checkSlug', 'listUserSessions', 'adminTestProvider', 'dryRunRules'],
  ...['replayDeliveries', 'replayDelivery', 'dismissDelivery', 'requeueTask', 'deleteTask', 'retryMail', 'finishTestSignIn'],
  ...['sendTestMail'],
  // They keep what nothing shows before a setting names it, or put a step of the set-up off.
  ...['uploadBrandImage', 'updateSetupStep'],
  ...['createEventExport', 'deleteEventExport', 'adminCreateBackup', 'linkCustomer', 'unlinkCustomer'],
  // They arrange what is inside an organization, or choose one; who founds one has given nobody anything.
  ...[
    'acceptInvitation',
    'createOrganization',
    'setActiveOrganization',
    'setActiveTeam',
    'createTeam',
    'updateTeam',
    'removeTeam',
  ],
  ...['addTeamMember', 'removeTeamMember', 'setOrganizationLogo', 'removeOrganizationLogo', 'adminSetOrganizationLogo'],
  ...['adminRemoveOrganizationLogo', 'adminCreateTeam', 'adminPatchTeam', 'adminDeleteTeam', 'adminAddTeamMember'],
  ...['adminRemoveTeamMember'],
])

describe('with a session of yesterday', () => {
  test.each(Object.entries(decided))('%s is refused where it changes what would be kept', async (_, calls) => {
    for (const call of calls) {
      expect(outcome(await call())).toEqual(stale)
    }
  })

  test('the name of a user is changed, and a plain member invited', async () => {
    expect((await patch(admin, `/admin/users/${victimId}`, { name: 'Vic' })).status).toBe(200)
    const invited = await owner.post('/organization/invite-member', { organizationId, email: 'new@example.com', role: 'member' })
    expect(invited.status).toBe(200)
  })
})

test('an administrator changes the own address through /change-email alone, however fresh the session', async () => {
  const fresh = await t.signedIn('fresh@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'fresh@example.com' }).update({ role: 'admin' }))
  const own = await idOf('fresh@example.com')
  for (const body of [{ email: 'other@example.com' }, { emailVerified: true }])
    expect(outcome(await patch(fresh, `/admin/users/${own}`, body))).toEqual([403, 'FORBIDDEN'])
  expect((await patch(fresh, `/admin/users/${victimId}`, { email: 'corrected@example.com' })).status).toBe(200)
})

test('every operation of administrators and organizations asks for a fresh session, is decided by what it changes, or is known to give nothing', () => {
  const open = t.app.routes.flatMap(({ name, endpoint: { method, path, access, errors } }) =>
    method === 'GET' ||
    typeof access === 'string' ||
    access.fresh !== undefined ||
    errors.includes('SESSION_IS_NOT_FRESH') ||
    !/^\/(admin|organization)\//.test(path)
      ? []
      : [name],
  )
  expect(open.toSorted()).toEqual([...harmless].toSorted())
})
