import { afterEach, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { languageCodes } from '../../../src/core/locale.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { overlap } from '../../support/overlap.ts'
import { codeFor, offline, redeem, refresh, register, userinfo } from '../oidc/flow.ts'

const running: TestApp[] = []
const start = async (accounts: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
  const t = await testApp({ config: { accounts, ...more } })
  running.push(t)
  return t
}
afterEach(() => Promise.all(running.splice(0).map((t) => t.stop())))

const deleted = { success: true, message: 'User deleted' }
const refusal = async (client: Client, body: object) => {
  const { status, json } = await client.post('/delete-user', body)
  return [status, json['message']]
}
const users = async (t: TestApp) => (await t.app.core.db.knex('user').select('email')).map(({ email }) => email)

test('a fresh session or the password deletes the account and all its rows', async () => {
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

test('neither a wrong password nor a session that is not fresh deletes an account', async () => {
  const t = await start()
  const client = await t.signedIn('ann@example.com')
  expect(await refusal(client, { password: 'wrong password' })).toEqual([400, 'Invalid password'])
  t.clock.advance({ days: 1, seconds: 1 })
  expect(await refusal(client, {})).toEqual([400, 'Session expired. Re-authenticate to perform this action.'])
  expect(await refusal(client, { token: 'x' })).toEqual([404, 'invalid token'])
  expect(await users(t)).toEqual(['ann@example.com'])
  expect((await client.post('/delete-user', { password })).json).toEqual(deleted)
})

test('with changeEmailPasswordSeconds and freshAgeSeconds 0 any session can delete the account, and deleteUserNeedsPassword requires an existing password', async () => {
  const stale = await start({ changeEmailPasswordSeconds: 0 }, { sessions: { freshAgeSeconds: 0 } })
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

test('with deleteUserVerification the right password only mails a link, and the link works once and only for its user', async () => {
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

test('a call can send the mailed deletion token in its body, and the deletion link without a callback answers JSON', async () => {
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

test('neither the only owner of an organization nor the last administrator can be deleted', async () => {
  const t = await start()
  const owner = await t.signedIn('owner@example.com')
  const principal = systemPrincipal('test')
  const acme = await t.app.organizations.createFor(principal, { name: 'Acme', slug: 'acme' }, 'owner@example.com', true)
  expect(await refusal(owner, { password })).toEqual([400, 'You cannot leave the organization as the only owner'])
  const second = await (await t.signedIn('second@example.com')).api.sessions.getSession()
  const { knex } = t.app.core.db
  const member = { organization_id: acme.id, user_id: second?.user.id }
  await knex('member').insert({ ...member, id: 'm2', role: 'member,owner', created_at: new Date() })
  await knex('member_role').insert(['member', 'owner'].map((role) => ({ ...member, role })))
  expect((await owner.post('/delete-user', { password })).json).toEqual(deleted)
  const admin = await t.signedIn('admin@example.com')
  await t.app.core.db.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' })
  expect(await refusal(admin, { password })).toEqual([400, 'The last administrator cannot be removed'])
  expect(await admin.api.sessions.getSession()).not.toBeNull()
})

test('deleting the account ends the access and refresh tokens of applications', async () => {
  const t = await start({}, { oidc: { rsaModulusLength: 2048 } })
  const shop = await register(t)
  const client = await t.signedIn('ann@example.com')
  const tokens = (await redeem(t, shop, await codeFor(client, shop, offline))).json
  expect((await userinfo(t, tokens['access_token'])).status).toBe(200)
  await client.post('/delete-user', { password })
  expect((await userinfo(t, tokens['access_token'])).status).toBe(401)
  expect((await refresh(t, shop, tokens['refresh_token'])).json['error']).toBe('invalid_grant')
})

test('the only owner of an organization gets the error before a deletion link is mailed', async () => {
  const t = await start({ deleteUserVerification: true })
  const client = await t.signedIn('ann@example.com')
  await client.post('/organization/create', { name: 'Acme', slug: 'acme' })
  const refused = await client.post('/delete-user', { password })
  expect([refused.status, refused.json]).toMatchObject([400, { code: 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER' }])
  expect(await t.mailKinds('ann@example.com')).not.toContain('delete-account')
})

describeOnBoth('actions during the deletion of an account', () => {
  const deleting = async (t: TestApp, email: string, meanwhile: () => Promise<unknown>) => {
    const user = await t.app.users.require(t.app.core.db, email)
    await overlap([t, t], (tx) => t.app.deletion.remove(tx, systemPrincipal('test'), user), meanwhile)
    return user.id
  }
  const deletions = (t: TestApp, id: string) => t.app.core.db.knex('event').where({ type: 'user.deleted', subject_id: id })

  test.each([{}, { password }])(
    'a second deletion during the first finds no user, and one event is recorded: %j',
    async (body) => {
      const t = await start()
      const client = await t.signedIn('ann@example.com')
      let status = 0
      const id = await deleting(t, 'ann@example.com', async () => {
        status = (await client.post('/delete-user', body)).status
      })
      expect(status).toBe(401)
      expect(await deletions(t, id)).toHaveLength(1)
    },
  )

  testOnBoth.each([{}, { password }])(
    'a deletion deletes nothing if the owner ends the session at the same moment: %j',
    async (body) => {
      const t = await start()
      const thief = await t.signedIn('ann@example.com')
      const user = await t.app.users.require(t.app.core.db, 'ann@example.com')
      const answers: number[] = []
      await overlap(
        [t, t],
        (tx) => t.app.sessions.endAll(tx, systemPrincipal('test'), user.id),
        async () => answers.push((await thief.post('/delete-user', body)).status),
      )
      expect([answers, await users(t)]).toEqual([[401], ['ann@example.com']])
    },
  )

  test('a request for a deletion link during the deletion finds no user and sends no mail', async () => {
    const t = await start({ deleteUserVerification: true })
    const client = await t.signedIn('ann@example.com')
    let status = 0
    await deleting(t, 'ann@example.com', async () => {
      status = (await client.post('/delete-user', {})).status
    })
    expect(status).toBe(401)
    expect(await t.mailKinds('ann@example.com')).not.toContain('delete-account')
  })

  test('a deletion link is invalid while the account is being deleted', async () => {
    const t = await start({ deleteUserVerification: true })
    const client = await t.signedIn('ann@example.com')
    await client.post('/delete-user', {})
    const { link } = await t.mailTo('ann@example.com', 'delete-account')
    let status = 0
    const id = await deleting(t, 'ann@example.com', async () => {
      status = (await client.request(link)).status
    })
    expect(status).toBe(404)
    expect(await deletions(t, id)).toHaveLength(1)
  })

  test('a request for a reset link during the deletion gets the same answer as for an unknown address', async () => {
    const lines: string[] = []
    const t = await testApp({ onLog: (line) => lines.push(line) })
    running.push(t)
    await t.signedIn('ann@example.com')
    await deleting(t, 'ann@example.com', async () => {
      expect((await t.client().post('/forget-password', { email: 'ann@example.com' })).status).toBe(200)
      expect(await t.mailKinds('ann@example.com')).not.toContain('reset-password')
    })
    expect(lines.filter((line) => line.includes('a requested mail could not be made'))).toEqual([])
  })
})

test('the mail about a deleted account is sent after all rows are gone and contains no name', async () => {
  const t = await start()
  const email = 'gone@example.com'
  const client = await t.signedIn(email)
  await client.api.profile.updateUser({ body: { name: 'Gwendolyn', language: languageCodes.de } })
  expect((await client.post('/delete-user', { password })).status).toBe(200)
  expect(await users(t)).toEqual([])
  const { raw } = await t.mailTo(email, 'account-deleted')
  expect(raw).toContain('Ihr Konto und alles, was dazugeh')
  expect(raw).not.toContain('Gwendolyn')
})

test('a refused deletion sends no mail, and a deletion by an operator notifies the person', async () => {
  const t = await start()
  const client = await t.signedIn('told@example.com')
  expect((await client.post('/delete-user', { password: 'not the password' })).status).toBe(400)
  expect(await t.mailKinds('told@example.com')).not.toContain('account-deleted')
  await t.app.administration.remove(systemPrincipal('test'), 'told@example.com')
  expect((await t.mailKinds('told@example.com')).filter((kind) => kind === 'account-deleted')).toHaveLength(1)
})
