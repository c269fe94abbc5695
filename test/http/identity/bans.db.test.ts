/** A ban ends the user's sessions and tokens on every node, and every sign-in method reports it only to the proven user. */
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer } from '../../support/client.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { createKey, program } from '../api-keys/keys.ts'
import { codeFor, offline, postForm, redeem, refresh, register, userinfo } from '../oidc/flow.ts'

let fake: FakeProvider
let t: TestApp
/** Another node on the same database. */
let other: TestApp
beforeAll(async () => {
  fake = await startProvider()
  const google = {
    ...{ clientId: 'client-1', clientSecret: 'secret-1', trustsEmail: true, jwksUrl: fake.jwksUrl, issuer: fake.state.issuer },
    ...fake.endpoints,
  }
  t = await testApp({
    config: { outbound, social: { google }, sessions: { cookieCacheSeconds: 60 }, accounts: { signInAfterVerification: true } },
  })
  other = await t.node()
})
afterAll(async () => {
  await other.stop()
  await t.stop()
  await fake.stop()
})

const system = systemPrincipal('test')
const idOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id
const ban = async (email: string, expiresAt: Date | null = null, node = t) => {
  const id = await idOf(email)
  await node.app.core.transact((tx) => node.app.users.ban(tx, system, id, { reason: 'fraud', expiresAt }))
}
const unban = async (email: string) => {
  const id = await idOf(email)
  return t.app.core.transact((tx) => t.app.users.unban(tx, system, id))
}
const signIn = (email: string, secret = password, node = t) =>
  // Both nodes have the address of the first.
  node.client().post('/sign-in/email', { email, password: secret }, { origin: t.url })
const codeOf = ({ status, json }: Answer) => [status, json['code'] ?? json['error']]

const banned = [403, 'BANNED_USER']
const message = 'You have been banned from this application. Please contact support if you believe this is an error.'

describeOnBoth('sign-ins of banned users', () => {
  testOnBoth('a banned user learns of the ban only after the right password', async () => {
    await t.signedIn('ann@example.com')
    await ban('ann@example.com')
    expect(codeOf(await signIn('ann@example.com', 'wrong password'))).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    const answer = await signIn('ann@example.com')
    expect([answer.status, answer.json]).toEqual([403, { code: 'BANNED_USER', message }])
    expect(answer.headers.getSetCookie().join()).not.toContain('gatehouse.session=')
    expect(codeOf(await signIn('ann@example.com', password, other))).toEqual(banned)
    const again = { email: 'ann@example.com', name: 'Ann', password }
    expect(codeOf(await t.client().post('/sign-up/email', again))).toEqual([422, 'USER_ALREADY_EXISTS'])
    expect(await unban('ann@example.com')).toBe(true)
    expect(await unban('ann@example.com')).toBe(false)
    expect((await signIn('ann@example.com')).status).toBe(200)
  })

  test('a ban with an expiry ends by itself, and the user can sign in again', async () => {
    await t.signedIn('end@example.com')
    await ban('end@example.com', t.app.core.clock.after(3600))
    expect(codeOf(await signIn('end@example.com'))).toEqual(banned)
    t.clock.advance({ seconds: 3601 })
    expect((await signIn('end@example.com')).status).toBe(200)
  })

  test('a banned user who signs in through a provider or with an ID token of the provider is refused', async () => {
    const claims = { sub: 'banned-1', email: 'social@example.com', email_verified: true, name: 'Sol' }
    fake.state.claims = claims
    fake.state.profile = claims
    const start = { provider: 'google', callbackURL: '/account' }
    const browser = t.client()
    await signInAt(browser, start)
    expect((await browser.api.sessions.getSession())?.user.email).toBe('social@example.com')
    await ban('social@example.com')
    const callback = await signInAt(t.client(), start)
    const target = new URL(callback.location ?? '')
    expect([target.pathname, target.searchParams.get('error'), target.searchParams.get('error_description')]).toEqual([
      '/error',
      'banned',
      message,
    ])
    const token = await fake.sign({ ...claims, jti: 'banned' })
    const answer = await t.client().post('/sign-in/social', { provider: 'google', idToken: { token } })
    expect(codeOf(answer)).toEqual(banned)
  })

  test('a mailed verification or reset link of a banned user has no effect, and no new link is mailed', async () => {
    const email = 'links@example.com'
    const browser = await t.signedIn(email)
    await browser.post('/send-verification-email', { email })
    const verification = (await t.mailTo(email, 'verification')).link
    await t.client().post('/request-password-reset', { email })
    await vi.waitFor(async () => expect(await t.mailKinds(email)).toContain('reset-password'), 60_000)
    const reset = /reset-password\/([A-Za-z0-9]{24})\?/.exec((await t.mailTo(email, 'reset-password')).link)?.[1]
    await ban(email)
    const before = await t.mailKinds(email)
    const token = new URL(verification).searchParams.get('token')
    expect(codeOf(await browser.request(`/verify-email?token=${token}`))).toEqual(banned)
    expect(codeOf(await browser.post('/verify-email', { token, password }))).toEqual(banned)
    expect(codeOf(await browser.post('/verify-email/check', { token }))).toEqual(banned)
    const body = { token: reset, newPassword: 'another battery staple' }
    expect(codeOf(await t.client().post('/reset-password', body))).toEqual(banned)
    expect((await t.client().post('/request-password-reset', { email })).status).toBe(200)
    expect(await t.mailKinds(email)).toEqual(before)
    expect((await t.app.users.require(t.app.core.db, email)).emailVerified).toBe(false)
    await unban(email)
    expect((await t.client().post('/reset-password', body)).status).toBe(200)
  })

  testOnBoth('a ban at the moment of a sign-in leaves no session', async () => {
    const email = 'race@example.com'
    await t.signedIn(email)
    const [first, second] = await Promise.all([signIn(email), signIn(email, password, other), ban(email)])
    for (const answer of [first, second]) expect([200, 403]).toContain(answer.status)
    const sessions = () => t.app.core.db.knex('session').join('user', 'user.id', 'session.user_id').where({ email })
    expect(await sessions()).toEqual([])
  })
})

describeOnBoth('sessions and tokens of banned users', () => {
  testOnBoth('both nodes refuse sessions, cached sessions, codes, tokens and refreshes after a ban on one node', async () => {
    const email = 'tokens@example.com'
    const shop = await register(t)
    const browser = await t.signedIn(email)
    const cached = (await browser.request('/get-session')).json
    const held = await redeem(t, shop, await codeFor(browser, shop, offline))
    const { access_token: access, refresh_token: fresh } = held.json
    const code = await codeFor(browser, shop)
    const { key } = await createKey(browser, { permissions: ['account:read'] })
    expect((await program(other, key).get('/list-accounts')).status).not.toBe(401)
    // The other node has seen all of these sessions.
    const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const ask = async (node: TestApp, path: string) =>
      (await fetch(`${node.url}${path}`, { headers: { cookie: cookies } })).json()
    for (const node of [t, other]) expect(await ask(node, '/get-session')).toEqual(cached)
    const bearer = String((cached as { session?: { token?: string } }).session?.token)

    await ban(email, null, other)
    // Calls that read the database refuse at once.
    for (const node of [t, other]) {
      expect(await ask(node, '/get-session?disableCookieCache=true')).toBeNull()
      expect(await ask(node, '/list-sessions')).toMatchObject({ code: 'UNAUTHORIZED' })
      const asBearer = await node.client().request('/list-accounts', { headers: { authorization: `Bearer ${bearer}` } })
      expect(codeOf(asBearer)).toEqual([401, 'UNAUTHORIZED'])
      expect((await program(node, key).get('/list-accounts')).status).toBe(401)
      expect((await postForm(node, shop, '/oauth2/introspect', { token: String(access) })).json).toEqual({ active: false })
      expect((await userinfo(node, access)).status).toBe(401)
      expect(codeOf(await refresh(node, shop, fresh))).toEqual([400, 'invalid_grant'])
      expect(codeOf(await redeem(node, shop, code))).toEqual([400, 'invalid_grant'])
    }
    // The cookie cache of each node follows a moment later.
    for (const node of [t, other]) await vi.waitFor(async () => expect(await ask(node, '/get-session')).toBeNull(), 60_000)
    // The end of the ban does not restore them.
    await unban(email)
    expect(await ask(t, '/get-session?disableCookieCache=true')).toBeNull()
    expect((await userinfo(t, access)).status).toBe(401)
    expect(codeOf(await refresh(t, shop, fresh))).toEqual([400, 'invalid_grant'])
  })

  testOnBoth('refreshes at the moment of a ban leave no valid token', async () => {
    const email = 'storm@example.com'
    const shop = await register(t)
    const browser = await t.signedIn(email)
    const families: unknown[] = []
    for (const _ of [1, 2, 3, 4]) {
      const { json } = await redeem(t, shop, await codeFor(browser, shop, offline))
      families.push(json['refresh_token'])
    }
    const storm = families.map((token, i) => refresh(i % 2 === 0 ? t : other, shop, token))
    const [answers] = await Promise.all([Promise.all(storm), ban(email)])
    for (const { json, status } of answers) {
      if (status !== 200) continue
      expect((await userinfo(t, json['access_token'])).status).toBe(401)
      expect((await refresh(other, shop, json['refresh_token'])).status).toBe(400)
    }
    const id = await idOf(email)
    expect(await t.app.core.db.knex('oidc_artifact').where({ account_id: id })).toEqual([])
  })

  test('the ban of one user does not affect the sessions of other users', async () => {
    const [one, two] = [await t.signedIn('one@example.com'), await t.signedIn('two@example.com')]
    await ban('one@example.com')
    expect(await one.api.sessions.listSessions().catch((error) => error.code)).toBe('UNAUTHORIZED')
    expect(await two.api.sessions.listSessions()).toHaveLength(1)
  })

  test('a ban and its end are recorded with the reason', async () => {
    await t.signedIn('recorded@example.com')
    await ban('recorded@example.com')
    await unban('recorded@example.com')
    const subject = await idOf('recorded@example.com')
    const rows = await t.app.core.db.knex('event').where({ subject_id: subject }).orderBy('id').select('type', 'data')
    const recorded = rows.filter(({ type }) => /banned$/.test(type)).map(({ type, data }) => [type, JSON.parse(data)])
    expect(recorded).toEqual([
      ['user.banned', { reason: 'fraud', expiresAt: null }],
      ['user.unbanned', {}],
    ])
  })
})
