/** Operations that an old session of an administrator or an organization owner must not do: the table of all operations by their effect. */
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

/** Calls that the service refuses by their effect. Their contract requires no fresh session, because most uses need none. */
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
  // The call would send a stored secret to an address that the caller names.
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

/** Other calls that change something, but give nobody a sign-in method, a role, a key, a secret or an organization. */
const harmless = new Set([
  // Calls that end or revoke something.
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
  // Calls that read, or repeat something that was already due.
  ...['hasInstancePermission', 'hasPermission', 'checkSlug', 'listUserSessions', 'adminTestProvider', 'dryRunRules'],
  ...['replayDeliveries', 'replayDelivery', 'dismissDelivery', 'requeueTask', 'deleteTask', 'retryMail', 'finishTestSignIn'],
  ...['sendTestMail'],
  // Calls whose result is not shown until a setting names it, or that put a step of the set-up off.
  ...['uploadBrandImage', 'updateSetupStep'],
  ...['createEventExport', 'deleteEventExport', 'adminCreateBackup', 'linkCustomer', 'unlinkCustomer'],
  // Calls that change or choose an organization from inside. Founding one gives nobody access.
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

describe('calls in a session from yesterday', () => {
  test.each(Object.entries(decided))(
    'in a session from yesterday %s is refused if it would give lasting access',
    async (_, calls) => {
      for (const call of calls) {
        expect(outcome(await call())).toEqual(stale)
      }
    },
  )

  test('a session from yesterday can rename a user and invite a plain member', async () => {
    expect((await patch(admin, `/admin/users/${victimId}`, { name: 'Vic' })).status).toBe(200)
    const invited = await owner.post('/organization/invite-member', { organizationId, email: 'new@example.com', role: 'member' })
    expect(invited.status).toBe(200)
  })
})

test('an administrator can change their own email address only through /change-email, even in a fresh session', async () => {
  const fresh = await t.signedIn('fresh@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'fresh@example.com' }).update({ role: 'admin' }))
  const own = await idOf('fresh@example.com')
  for (const body of [{ email: 'other@example.com' }, { emailVerified: true }])
    expect(outcome(await patch(fresh, `/admin/users/${own}`, body))).toEqual([403, 'FORBIDDEN'])
  expect((await patch(fresh, `/admin/users/${victimId}`, { email: 'corrected@example.com' })).status).toBe(200)
})

test('every administration and organization operation requires a fresh session, decides by its effect, or is listed as harmless', () => {
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
