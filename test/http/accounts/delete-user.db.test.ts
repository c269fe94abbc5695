import { afterAll, expect, test } from 'vitest'
import { systemCaller } from '../../../src/core/caller.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { codeFor, offline, redeem, refresh, register, userinfo } from '../oidc/flow.ts'

const running: TestApp[] = []
const start = async (accounts: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
  const t = await testApp({ config: { accounts, ...more } })
  running.push(t)
  return t
}
afterAll(() => Promise.all(running.map((t) => t.stop())))

const deleted = { success: true, message: 'User deleted' }
const refusal = async (client: Client, body: object) => {
  const { status, json } = await client.post('/delete-user', body)
  return [status, json['message']]
}
const users = async (t: TestApp) => (await t.app.core.db.knex('user').select('email')).map(({ email }) => email)

test('a fresh session or the password deletes the account and everything of it', async () => {
  const t = await start()
  for (const [email, body] of [
    ['fresh@example.com', {}],
    ['password@example.com', { password }],
  ] as const) {
    const client = await t.signedIn(email)
    const other = t.client()
    await other.post('/sign-in/email', { email, password })
    const answer = await client.post('/delete-user', body)
    expect([answer.status, answer.json]).toEqual([200, deleted])
    expect(client.cookies.has('gatehouse.session')).toBe(false)
    expect(await other.api.sessions.getSession()).toBeNull()
  }
  const { knex } = t.app.core.db
  for (const table of ['user', 'session', 'account', 'known_device']) expect(await knex(table).select(), table).toEqual([])
})

test('a wrong password deletes nothing, nor does a session that is not fresh', async () => {
  const t = await start()
  const client = await t.signedIn('ann@example.com')
  expect(await refusal(client, { password: 'wrong password' })).toEqual([400, 'Invalid password'])
  t.clock.advance({ days: 1, seconds: 1 })
  expect(await refusal(client, {})).toEqual([400, 'Session expired. Re-authenticate to perform this action.'])
  expect(await refusal(client, { token: 'x' })).toEqual([404, 'invalid token'])
  expect(await users(t)).toEqual(['ann@example.com'])
  expect((await client.post('/delete-user', { password })).json).toEqual(deleted)
})

test('a fresh age of 0 asks for nothing more; a setting asks for the password', async () => {
  const stale = await start({}, { sessions: { freshAgeSeconds: 0 } })
  const ann = await stale.signedIn('ann@example.com')
  stale.clock.advance({ days: 2 })
  expect((await ann.post('/delete-user', {})).json).toEqual(deleted)

  const strict = await start({ deleteUserNeedsPassword: true })
  const bob = await strict.signedIn('bob@example.com')
  expect(await refusal(bob, {})).toEqual([400, 'User already has a password. Provide that to delete the account.'])
  await strict.app.core.db.knex('account').delete()
  expect(await refusal(bob, { password })).toEqual([400, 'Credential account not found'])
  expect((await bob.post('/delete-user', {})).json).toEqual(deleted)
})

test('with mail verification even the right password only sends the link, which works once, for its user alone', async () => {
  const t = await start({ deleteUserVerification: true })
  const client = await t.signedIn('ann@example.com')
  const other = await t.signedIn('bob@example.com')
  for (const body of [{ password, callbackURL: '/bye' }, {}])
    expect((await client.post('/delete-user', body)).json).toEqual({ success: true, message: 'Verification email sent' })
  expect(await t.mailKinds('ann@example.com')).toEqual(['delete-account', 'delete-account'])
  const { link } = await t.mailTo('ann@example.com', 'delete-account')
  const { pathname, search, searchParams } = new URL(link)
  expect(searchParams.get('token')).toMatch(/^[A-Za-z0-9]{32}$/)
  const nobody = await t.client().request(link)
  expect([nobody.status, nobody.json]).toEqual([404, { code: 'FAILED_TO_GET_USER_INFO', message: 'Failed to get user info' }])
  for (const [who, where] of [
    [other, pathname + search],
    [client, '/delete-user/callback?token=wrong'],
  ] as const) {
    const refused = await who.request(where)
    expect([refused.status, refused.json]).toEqual([404, { code: 'INVALID_TOKEN', message: 'invalid token' }])
  }
  expect(await users(t)).toHaveLength(2)
  const followed = await client.request(link)
  expect([followed.status, followed.location]).toEqual([302, searchParams.get('callbackURL')])
  expect(await users(t)).toEqual(['bob@example.com'])
})

test('the mailed token deletes at once in the body, without a callback the link answers as JSON', async () => {
  const t = await start({ deleteUserVerification: true })
  const token = async (client: Client, email: string) => {
    await client.post('/delete-user', {})
    return new URL((await t.mailTo(email, 'delete-account')).link).searchParams.get('token')
  }
  const ann = await t.signedIn('ann@example.com')
  expect((await ann.post('/delete-user', { token: await token(ann, 'ann@example.com') })).json).toEqual(deleted)
  const bob = await t.signedIn('bob@example.com')
  const answer = await bob.request(`/delete-user/callback?token=${await token(bob, 'bob@example.com')}`)
  expect([answer.status, answer.json]).toEqual([200, deleted])
  const cas = await t.signedIn('cas@example.com')
  const late = await token(cas, 'cas@example.com')
  t.clock.advance({ days: 1, seconds: 1 })
  expect((await cas.request(`/delete-user/callback?token=${late}`)).status).toBe(404)
  const elsewhere = await cas.request('/delete-user/callback?token=x&callbackURL=https://evil.example')
  expect([elsewhere.status, elsewhere.json['code']]).toEqual([403, 'INVALID_CALLBACKURL'])
})

test('the only owner of an organization and the last administrator stay', async () => {
  const t = await start()
  const owner = await t.signedIn('owner@example.com')
  const caller = systemCaller('test')
  const acme = await t.app.organizations.createFor(caller, { name: 'Acme', slug: 'acme' }, 'owner@example.com')
  expect(await refusal(owner, { password })).toEqual([400, 'You cannot leave the organization as the only owner'])
  const second = (await t.signedIn('second@example.com')).api.sessions.getSession()
  await t.app.core.db.knex('member').insert({
    id: 'm2',
    organization_id: acme.id,
    user_id: (await second)?.user.id,
    role: 'member,owner',
    created_at: new Date(),
  })
  expect((await owner.post('/delete-user', { password })).json).toEqual(deleted)
  const admin = await t.signedIn('admin@example.com')
  await t.app.core.db.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' })
  expect(await refusal(admin, { password })).toEqual([400, 'The last administrator cannot be removed'])
  expect(await admin.api.sessions.getSession()).not.toBeNull()
})

test('tokens that applications hold stop with the account, refresh tokens too', async () => {
  const t = await start({}, { oidc: { rsaModulusLength: 2048 } })
  const shop = await register(t)
  const client = await t.signedIn('ann@example.com')
  const tokens = (await redeem(t, shop, await codeFor(client, shop, offline))).json
  expect((await userinfo(t, tokens['access_token'])).status).toBe(200)
  await client.post('/delete-user', { password })
  expect((await userinfo(t, tokens['access_token'])).status).toBe(401)
  expect((await refresh(t, shop, tokens['refresh_token'])).json['error']).toBe('invalid_grant')
})

test('the only owner of an organization hears of it before any mail about the deletion is sent', async () => {
  const t = await start({ deleteUserVerification: true })
  const client = await t.signedIn('ann@example.com')
  await client.post('/organization/create', { name: 'Acme', slug: 'acme' })
  const refused = await client.post('/delete-user', { password })
  expect([refused.status, refused.json]).toMatchObject([400, { code: 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER' }])
  expect(await t.mailKinds('ann@example.com')).not.toContain('delete-account')
})
