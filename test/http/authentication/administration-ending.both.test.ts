/** Actions of administrators, owners and applications whose basis (a session, a role) ends between their check and their commit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockRow } from '../../../src/core/db/database.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { refusal } from '../../support/passkeys.ts'
import { withAuthenticator, withPassword } from '../../support/totp.ts'
import { type Application, authorizePath, codeFor, offline, redeem, refresh, register, uidOf } from '../oidc/flow.ts'
import { answer as answerInvitation, invite, mailed } from '../organizations/inviting.ts'
import { add, joined, owner, userOf } from '../organizations/people.ts'
import { type Ending, endings, type Row, type Scene, system, testRows } from './ending.ts'

let one: TestApp
let two: TestApp
let shop: Application
beforeAll(async () => {
  one = await testApp({
    config: {
      ...{
        trustedOrigins: ['http://localhost:*'],
        limits: { enabled: 'off' },
        admin: { trustedOrigins: ['http://localhost:*'] },
      },
      apiKeys: { personalEnabled: true },
    },
  })
  two = await one.node()
  shop = await register(one)
  one.clock.hold()
})
afterAll(async () => {
  await two.stop()
  await one.stop()
})
const table = (name: string) => one.app.core.db.knex(name)

const ends = {
  ...endings(() => one),
  /** The id of the organization that the scene is about. */
  membersRole: async ({ tx, id, scene: { about = '' } }: Ending) => {
    await lockRow(tx, 'organization', about)
    await tx.knex('member_role').where({ organization_id: about, user_id: id }).update({ role: 'member' })
    await tx.knex('member').where({ organization_id: about, user_id: id }).update({ role: 'member' })
  },
  membership: async ({ tx, id, scene: { about = '' } }: Ending) => {
    await lockRow(tx, 'organization', about)
    await tx.knex('member').where({ organization_id: about }).whereNot({ user_id: id }).delete()
  },
  invitation: async ({ tx, scene: { about = '' } }: Ending) => {
    await lockRow(tx, 'organization', about)
    await tx.knex('invitation').where({ organization_id: about }).update({ status: 'canceled' })
  },
}

const verified = async (email: string) => {
  const browser = await two.signedIn(email)
  await two.verify(email)
  return browser
}
const slugOf = (email: string) => email.split('@')[0] ?? ''
const ended = [401, 'UNAUTHORIZED'] as const
const forbidden = [403, 'FORBIDDEN'] as const
const patch = (client: Client, path: string, body: object) =>
  client.request(path, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const administrationScenes = {
  impersonation: async (email: string): Promise<Scene> => {
    const browser = await signedInAs(two, 'admin', email)
    const { id: userId } = await userOf(await two.signedIn(`of-${email}`))
    return { email, browser, about: userId, act: () => browser.post('/admin/impersonate-user', { userId }) }
  },
  role: async (email: string): Promise<Scene> => {
    const browser = await signedInAs(two, 'admin', email)
    const { id: userId } = await userOf(await two.signedIn(`of-${email}`))
    await two.verify(`of-${email}`)
    return { email, browser, about: userId, act: () => browser.post('/admin/set-role', { userId, role: 'admin' }) }
  },
  password: async (email: string): Promise<Scene> => {
    const browser = await signedInAs(two, 'admin', email)
    const { id: userId } = await userOf(await signedInAs(two, 'admin', `of-${email}`))
    const act = () => browser.post('/admin/set-user-password', { userId, newPassword: 'a long and uncommon one' })
    return { email, browser, about: userId, act }
  },
  ...Object.fromEntries(
    (
      [
        [
          'passwordOfPerson',
          (browser, userId) => browser.post('/admin/set-user-password', { userId, newPassword: 'a long one' }),
        ],
        ['recoveryLink', (browser, userId) => browser.post(`/admin/users/${userId}/recovery-link`, {})],
        ['ban', (browser, userId) => browser.post('/admin/ban-user', { userId })],
        ['deletion', (browser, userId) => browser.post('/admin/remove-user', { userId })],
        [
          'address',
          (browser, userId) => patch(browser, `/admin/users/${userId}`, { email: `moved-${userId}@example.com`.toLowerCase() }),
        ],
        [
          'organization',
          (browser, userId) => browser.post('/admin/organizations', { name: 'New', slug: userId.toLowerCase(), ownerId: userId }),
        ],
      ] as const satisfies readonly (readonly [string, (browser: Client, userId: string) => Promise<Answer>])[]
    ).map(([name, act]) => [
      name,
      async (email: string): Promise<Scene> => {
        const browser = await signedInAs(two, 'admin', email)
        const { id: userId } = await userOf(await verified(`of-${email}`))
        return { email, browser, about: userId, act: () => act(browser, userId) }
      },
    ]),
  ),
  key: async (email: string): Promise<Scene> => {
    const browser = await signedInAs(two, 'admin', email)
    return { email, browser, act: () => browser.post('/admin/api-keys', { name: 'Test', permissions: ['users:read'] }) }
  },
}
const administrationRow = (name: string, end: Row['end'], answer: Row['answer']): Row => ({
  ...{
    scene: (email) => (administrationScenes as Readonly<Record<string, Row['scene']>>)[name]?.(email) as Promise<Scene>,
    end,
    answer,
  },
  /** Data of the person that the action is about, and the organizations created for them. */
  left: async ({ about = '' }) => {
    const user = await table('user').where({ id: about }).first()
    const founded = await table('organization').where({ slug: about.toLowerCase() }).select('id')
    const signsIn = (await one.client().post('/sign-in/email', { email: user?.email, password })).status
    return [signsIn, user?.email?.startsWith('of-'), founded.length]
  },
  leaves: [200, true, 0],
})
const roleOfOther = async ({ about }: Scene) => (await table('user').where({ id: about }).first()).role
const impersonated = async (_: Scene, id: string) => (await table('session').where({ impersonated_by: id }).select('id')).length

describe('actions of an administrator when the session or role ends before the commit', () => {
  const rows: Readonly<Record<string, Row>> = {
    'an administrator who loses the role meanwhile cannot impersonate': {
      ...{ scene: administrationScenes.impersonation, end: ends.role, answer: ended, left: impersonated, leaves: 0 },
    },
    'an administrator whose session ends meanwhile cannot impersonate': {
      ...{ scene: administrationScenes.impersonation, end: ends.sessions, answer: ended, left: impersonated, leaves: 0 },
    },
    'a person who becomes an administrator meanwhile cannot be impersonated': {
      ...{ scene: administrationScenes.impersonation, answer: [403, 'YOU_CANNOT_IMPERSONATE_ADMINS'] },
      ...{ left: impersonated, leaves: 0 },
      end: ({ tx, scene }) => tx.knex('user').where({ id: scene.about }).update({ role: 'admin' }),
    },
    'an administrator who loses the role meanwhile cannot give roles': {
      ...{ scene: administrationScenes.role, end: ends.role, answer: [403, 'FORBIDDEN'], left: roleOfOther, leaves: 'user' },
    },
    'an administrator whose session ends meanwhile cannot give roles': {
      ...{ scene: administrationScenes.role, end: ends.sessions, answer: ended, left: roleOfOther, leaves: 'user' },
    },
    'an administrator who signs out meanwhile cannot give roles': {
      ...{ scene: administrationScenes.role, end: ends.signOut, answer: ended, left: roleOfOther, leaves: 'user' },
    },
    'an administrator whose session ends meanwhile cannot set the password of another administrator': {
      ...{ scene: administrationScenes.password, end: ends.sessions, answer: ended },
    },
    'an administrator whose session ends meanwhile cannot set a password': administrationRow(
      'passwordOfPerson',
      ends.sessions,
      ended,
    ),
    'an administrator whose session ends meanwhile cannot create a recovery link': administrationRow(
      'recoveryLink',
      ends.sessions,
      ended,
    ),
    'an administrator who loses the role meanwhile cannot create a recovery link': administrationRow(
      'recoveryLink',
      ends.role,
      forbidden,
    ),
    'an administrator whose session ends meanwhile cannot ban anybody': administrationRow('ban', ends.sessions, ended),
    'an administrator whose session ends meanwhile cannot delete anybody': administrationRow('deletion', ends.sessions, ended),
    'an administrator whose session ends meanwhile cannot change the address of anybody': administrationRow(
      'address',
      ends.sessions,
      ended,
    ),
    'an administrator whose session ends meanwhile cannot create an organization': administrationRow(
      'organization',
      ends.sessions,
      ended,
    ),
    'an administrator who loses the role meanwhile cannot set a password': administrationRow(
      'passwordOfPerson',
      ends.role,
      forbidden,
    ),
    'an administrator who loses the role meanwhile cannot ban anybody': administrationRow('ban', ends.role, forbidden),
    'an administrator who loses the role meanwhile cannot delete anybody': administrationRow('deletion', ends.role, forbidden),
    'an administrator who loses the role meanwhile cannot change the address of anybody': administrationRow(
      'address',
      ends.role,
      forbidden,
    ),
    'an administrator who loses the role meanwhile cannot create an organization': administrationRow(
      'organization',
      ends.role,
      forbidden,
    ),
    'an administrator who loses the role meanwhile cannot set the password of another administrator': {
      ...{ scene: administrationScenes.password, end: ends.role, answer: [403, 'FORBIDDEN'], leaves: true },
    },
    'an administrator who loses the role meanwhile cannot create an API key of the instance': {
      ...{ scene: administrationScenes.key, end: ends.role, leaves: true },
      answer: [403, 'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY'],
    },
  }
  testRows(() => [one, two], rows)

  test.each(['one second factor', 'all second factors'])(
    "an administrator who removes %s of a person also ends the person's pending sign-in",
    async (which) => {
      const email = `${which.split(' ')[0]}@waits.example`
      await withAuthenticator(two, email)
      const waiting = await withPassword(two, email)
      const { id } = await one.app.users.require(one.app.core.db, email)
      const { factors } = await one.app.factorAdministration.get(id)
      const app = factors.find(({ kind }) => kind === 'totp')?.id ?? ''
      const any = () => undefined
      if (which === 'all second factors') await one.app.factorAdministration.removeAll(system, id, any)
      else await one.app.factorAdministration.remove(system, id, app, any)
      expect(await refusal(waiting.api.twoFactor.verifyTotp({ body: { code: '123456' } }))).toEqual([
        401,
        'INVALID_TWO_FACTOR_COOKIE',
      ])
    },
  )
})

const memberScenes = {
  acceptance: async (email: string): Promise<Scene> => {
    const { client, organizationId } = await owner(two, `owner-${email}`, slugOf(email))
    await invite(client, email)
    const { id } = await mailed(two, email)
    const browser = await verified(email)
    return { email, browser, about: organizationId, act: () => answerInvitation(browser, 'accept', id) }
  },
  signUp: async (email: string): Promise<Scene> => {
    const { client, organizationId } = await owner(two, email, slugOf(email))
    await invite(client, `new-${email}`)
    const { id: invitationId, token } = await mailed(two, `new-${email}`)
    const browser = two.client()
    const body = { invitationId, token, name: 'Ida', password }
    return { email, browser, about: organizationId, act: () => browser.post('/hosted/invitation/sign-up', body) }
  },
  invitation: async (email: string): Promise<Scene> => {
    const { client: browser, organizationId } = await owner(two, email, slugOf(email))
    const act = () => browser.post('/organization/invite-member', { email: `new-${email}`, role: 'owner' })
    return { email, browser, about: organizationId, act }
  },
  newOwner: async (email: string): Promise<Scene> => {
    const { client: browser, organizationId } = await owner(two, email, slugOf(email))
    await add(two, organizationId, await verified(`second-${email}`), 'owner')
    const { id: memberId } = await joined(two, organizationId, `member-${email}`)
    const act = () => browser.post('/organization/update-member-role', { organizationId, memberId, role: 'owner' })
    return { email, browser, about: organizationId, act }
  },
  transfer: async (email: string): Promise<Scene> => {
    const { client: browser, organizationId } = await owner(two, email, slugOf(email))
    await add(two, organizationId, await verified(`second-${email}`), 'owner')
    const { id: memberId } = await joined(two, organizationId, `member-${email}`)
    const act = () => browser.post('/organization/transfer-ownership', { organizationId, memberId })
    return { email, browser, about: organizationId, act }
  },
  settings: async (email: string): Promise<Scene> => {
    const { client: browser, organizationId } = await owner(two, email, slugOf(email))
    const act = () => browser.post('/organization/update', { organizationId, data: { name: 'Renamed' } })
    return { email, browser, about: organizationId, act }
  },
  removal: async (email: string): Promise<Scene> => {
    const { client: browser, organizationId } = await owner(two, email, slugOf(email))
    const { id: memberIdOrEmail } = await joined(two, organizationId, `member-${email}`)
    const act = () => browser.post('/organization/remove-member', { organizationId, memberIdOrEmail })
    return { email, browser, about: organizationId, act }
  },
  deletion: async (email: string): Promise<Scene> => {
    const { client: browser, organizationId } = await owner(two, email, slugOf(email))
    return { email, browser, about: organizationId, act: () => browser.post('/organization/delete', { organizationId }) }
  },
  leaving: async (email: string): Promise<Scene> => {
    const { client: browser, organizationId } = await owner(two, email, slugOf(email))
    await add(two, organizationId, await verified(`second-${email}`), 'owner')
    return { email, browser, about: organizationId, act: () => browser.post('/organization/leave', { organizationId }) }
  },
  key: async (email: string): Promise<Scene> => {
    const { client: browser, organizationId } = await owner(two, email, slugOf(email))
    const body = { name: 'Test', permissions: ['member:read'], organizationId }
    return { email, browser, about: organizationId, act: () => browser.post('/api-key/create', body) }
  },
}
const owners = async ({ about }: Scene) =>
  (await table('member').where({ organization_id: about, role: 'owner' }).select('id')).length
const renamed = async ({ about }: Scene) =>
  (await table('organization').where({ id: about, name: 'Renamed' }).select('id')).length
const memberCount = async ({ about }: Scene) => (await table('member').where({ organization_id: about }).select('id')).length
const isMember = async ({ about }: Scene, id: string) =>
  (await table('member').where({ organization_id: about, user_id: id }).select('id')).length
const keys = async ({ about }: Scene) => (await table('api_key').where({ organization_id: about }).select('id')).length
const invited = async ({ about }: Scene) => (await table('invitation').where({ organization_id: about }).select('id')).length
const exists = async ({ about }: Scene) => (await table('organization').where({ id: about }).select('id')).length

describe('actions in an organization when the session, role or invitation ends before the commit', () => {
  const rows: Readonly<Record<string, Row>> = {
    'an invitation that is cancelled meanwhile adds no member': {
      ...{ scene: memberScenes.acceptance, end: ends.invitation, answer: [400, 'INVITATION_NOT_FOUND'] },
      ...{ left: isMember, leaves: 0 },
    },
    'an invitation adds no member when its sender leaves meanwhile': {
      ...{ scene: memberScenes.acceptance, end: ends.membership, left: isMember, leaves: 0 },
      answer: [400, 'INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION'],
    },
    'an invitation adds no member whose address changes meanwhile': {
      ...{ scene: memberScenes.acceptance, end: ends.address, left: isMember, leaves: 0 },
      answer: [403, 'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION'],
    },
    'an invitation adds no member whose session ends meanwhile': {
      ...{ scene: memberScenes.acceptance, end: ends.sessions, answer: ended, left: isMember, leaves: 0 },
    },
    'an invitation that is cancelled meanwhile creates no account': {
      ...{ scene: memberScenes.signUp, end: ends.invitation, answer: [400, 'INVITATION_NOT_FOUND'] },
    },
    'an owner who loses that role meanwhile cannot invite': {
      ...{ scene: memberScenes.invitation, end: ends.membersRole, left: invited, leaves: 0 },
      answer: [403, 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION'],
    },
    'an owner whose session ends meanwhile cannot invite': {
      ...{ scene: memberScenes.invitation, end: ends.sessions, answer: ended, left: invited, leaves: 0 },
    },
    'an owner who loses that role meanwhile cannot make anybody an owner': {
      ...{ scene: memberScenes.newOwner, end: ends.membersRole, answer: [403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'] },
      ...{ left: owners, leaves: 1 },
    },
    'an owner whose session ends meanwhile cannot make anybody an owner': {
      ...{ scene: memberScenes.newOwner, end: ends.sessions, answer: ended, left: owners, leaves: 2 },
    },
    'an owner who loses that role meanwhile cannot transfer the organization': {
      ...{ scene: memberScenes.transfer, end: ends.membersRole, answer: [403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'] },
      ...{ left: owners, leaves: 1 },
    },
    'an owner whose session ends meanwhile cannot transfer the organization': {
      ...{ scene: memberScenes.transfer, end: ends.sessions, answer: ended, left: owners, leaves: 2 },
    },
    'an owner who loses that role meanwhile cannot delete the organization': {
      ...{ scene: memberScenes.deletion, end: ends.membersRole, left: exists, leaves: 1 },
      answer: [403, 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION'],
    },
    'an owner whose session ends meanwhile cannot delete the organization': {
      ...{ scene: memberScenes.deletion, end: ends.sessions, answer: ended, left: exists, leaves: 1 },
    },
    'an owner whose session ends meanwhile cannot change settings of the organization': {
      ...{ scene: memberScenes.settings, end: ends.sessions, answer: ended, left: renamed, leaves: 0 },
    },
    'an owner whose session ends meanwhile cannot remove a member': {
      ...{ scene: memberScenes.removal, end: ends.sessions, answer: ended, left: memberCount, leaves: 2 },
    },
    'an owner cannot leave when the other owner leaves meanwhile': {
      ...{ scene: memberScenes.leaving, end: ends.membership, left: owners, leaves: 1 },
      answer: [400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'],
    },
    'an owner who loses that role meanwhile cannot create an API key of the organization': {
      ...{ scene: memberScenes.key, end: ends.membersRole, left: keys, leaves: 0 },
      answer: [403, 'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY'],
    },
    'an owner whose session ends meanwhile cannot create an API key of the organization': {
      ...{ scene: memberScenes.key, end: ends.sessions, answer: ended, left: keys, leaves: 0 },
    },
  }
  testRows(() => [one, two], rows)
})

const applicationScenes = {
  consent: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    const interaction = uidOf(await browser.request(authorizePath(shop)))
    return { email, browser, act: () => browser.post('/oauth2/consent', { accept: true, interaction }) }
  },
  authorization: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    await codeFor(browser, shop)
    return { email, browser, act: () => browser.request(authorizePath(shop)) }
  },
  offlineCode: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    const code = await codeFor(browser, shop, offline)
    return { email, browser, act: () => redeem(two, shop, code) }
  },
  code: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    const code = await codeFor(browser, shop)
    return { email, browser, act: () => redeem(two, shop, code) }
  },
  refresh: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    const { json } = await redeem(two, shop, await codeFor(browser, shop, offline))
    return { email, browser, act: () => refresh(two, shop, json['refresh_token']) }
  },
}
const consents = async (_: Scene, id: string) =>
  (await table('oauth_consent').where({ user_id: id, consent_given: true }).select('id')).length
const held = async (_: Scene, id: string) => (await table('oidc_artifact').where({ account_id: id }).select('id')).length

describe('answers to an application when the session ends before the commit', () => {
  const rows: Readonly<Record<string, Row>> = {
    'a session that ended meanwhile gives no consent': {
      ...{ scene: applicationScenes.consent, end: ends.sessions, answer: ended, left: consents, leaves: 0 },
    },
    'a session that ended meanwhile gets no authorization code': {
      ...{ scene: applicationScenes.authorization, end: ends.sessions, answer: [303, null], left: held, leaves: 0 },
    },
    'an authorization code gives no tokens when the sessions of its person end meanwhile': {
      ...{ scene: applicationScenes.code, end: ends.sessions, answer: [400, 'invalid_grant'], left: held, leaves: 0 },
    },
    'an authorization code gives no offline tokens when the sessions of its person end meanwhile': {
      ...{ scene: applicationScenes.offlineCode, end: ends.sessions, answer: [400, 'invalid_grant'], left: held, leaves: 0 },
    },
    'an authorization code gives no tokens when the account is deleted meanwhile': {
      ...{ scene: applicationScenes.code, end: ends.account, answer: [400, 'invalid_grant'], left: held, leaves: 0 },
    },
    'a refresh token gives no new tokens when the sessions of its person end meanwhile': {
      ...{ scene: applicationScenes.refresh, end: ends.sessions, answer: [400, 'invalid_grant'], left: held, leaves: 0 },
    },
  }
  testRows(() => [one, two], rows)
})
