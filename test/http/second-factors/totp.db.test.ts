/** Authenticator apps: from the first code to the removal, and what they never give access to. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer, Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator, withPassword, wrongCode } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
// Each test uses its own time step, so that its codes are new.
beforeEach(() => t.clock.advance({ seconds: 90 }))
afterAll(() => t.stop())

const verify = (browser: Client, code: string, more: object = {}) => browser.post('/two-factor/verify-totp', { code, ...more })
const outcome = ({ status, json }: Answer) => (status === 200 ? 200 : [status, json['code']])
const isSignedIn = async (browser: Client) => (await browser.api.sessions.getSession()) !== null
const rowsOf = async (email: string) =>
  t.app.core.db.knex('totp').join('user', 'user.id', 'totp.user_id').where({ email }).select('totp.*')
const userOf = async (browser: Client): Promise<string> => (await browser.api.sessions.getSession())?.user.id ?? ''
const eventsOfUser = (id: string): Promise<readonly string[]> =>
  t.app.core.db.knex('event').where({ subject_id: id }).pluck('type')
const eventsOf = async (browser: Client) => eventsOfUser(await userOf(browser))

test('an authenticator app takes no effect before its first code is confirmed', async () => {
  const email = 'unproven@example.com'
  const browser = await t.signedIn(email)
  const { totpURI, backupCodes } = await browser.api.twoFactor.enable()
  expect(await browser.api.twoFactor.status()).toMatchObject({
    isEnabled: false,
    methods: [],
    totpSince: null,
    recoveryCodes: null,
  })
  const other = t.client()
  expect((await other.post('/sign-in/email', { email, password })).json).toMatchObject({
    user: { email, twoFactorEnabled: false },
  })
  expect(await isSignedIn(other)).toBe(true)
  const byCode = await browser.post('/two-factor/verify-backup-code', { code: backupCodes[0] })
  expect(outcome(byCode)).toEqual([400, 'BACKUP_CODES_NOT_ENABLED'])
  expect(outcome(await verify(browser, wrongCode(totpURI)))).toEqual([401, 'INVALID_CODE'])
  expect(await browser.api.twoFactor.status()).toMatchObject({ isEnabled: false })
  expect(await eventsOf(browser)).not.toContain('totp.enabled')
})

test('the first code activates an authenticator app, gives the session a new token and ends the other sessions', async () => {
  const email = 'first@example.com'
  const browser = await t.signedIn(email)
  const other = await t.client()
  await other.post('/sign-in/email', { email, password })
  const { totpURI, backupCodes } = await browser.api.twoFactor.enable({ body: { password, issuer: 'Acme & Co' } })
  expect(decodeURIComponent(new URL(totpURI).pathname)).toBe(`/Acme & Co:${email}`)
  expect(backupCodes).toHaveLength(10)
  const before = await browser.api.sessions.getSession()
  const { token, user } = await browser.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  expect(user).toMatchObject({ email, twoFactorEnabled: true })
  const after = await browser.api.sessions.getSession()
  expect(after?.session).toMatchObject({ id: before?.session.id, token })
  expect(token).not.toBe(before?.session.token)
  expect(await isSignedIn(other)).toBe(false)
  expect(await browser.api.twoFactor.status()).toMatchObject({
    ...{ isEnabled: true, methods: ['totp', 'recovery-code'], rememberedBrowsers: 0 },
    recoveryCodes: { left: 10 },
  })
  const happened = await eventsOf(browser)
  for (const type of ['totp.enabled', 'second_factor.enabled', 'recovery_codes.generated']) expect(happened).toContain(type)
  const again = await browser.post('/two-factor/enable', { password })
  expect(outcome(again)).toEqual([400, 'TOTP_ALREADY_ENABLED'])
})

test('adding an authenticator app again before its first code replaces the secret and the recovery codes', async () => {
  const browser = await t.signedIn('again@example.com')
  const first = await browser.api.twoFactor.enable()
  const second = await browser.api.twoFactor.enable()
  expect(outcome(await verify(browser, codeOf(first.totpURI)))).toEqual([401, 'INVALID_CODE'])
  expect(outcome(await verify(browser, codeOf(second.totpURI)))).toBe(200)
  const use = (code: string | undefined) => browser.post('/two-factor/verify-backup-code', { code })
  expect(outcome(await use(first.backupCodes[0]))).toEqual([401, 'INVALID_BACKUP_CODE'])
  expect(outcome(await use(second.backupCodes[0]))).toBe(200)
})

test('the secret of an authenticator app expires if no first code arrives within an hour', async () => {
  const browser = await t.signedIn('late@example.com')
  const { totpURI } = await browser.api.twoFactor.enable()
  t.clock.advance({ hours: 1, seconds: 1 })
  expect(outcome(await verify(browser, codeOf(totpURI)))).toEqual([400, 'TOTP_NOT_ENABLED'])
})

test('adding an authenticator app requires a fresh session or the right password', async () => {
  const browser = await t.signedIn('proof@example.com')
  const enable = (body: object) => browser.post('/two-factor/enable', body)
  expect(outcome(await enable({ password: 'wrong password' }))).toEqual([400, 'INVALID_PASSWORD'])
  t.clock.advance({ hours: 25 })
  expect(outcome(await enable({}))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  expect(outcome(await enable({ password: 'wrong password' }))).toEqual([400, 'INVALID_PASSWORD'])
  expect(outcome(await browser.post('/two-factor/get-totp-uri', {}))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  expect(outcome(await browser.post('/two-factor/get-totp-uri', { password }))).toEqual([400, 'TOTP_NOT_ENABLED'])
  expect(outcome(await enable({ password }))).toBe(200)
  expect(outcome(await browser.post('/two-factor/get-totp-uri', { password }))).toBe(200)
})

test("an authenticator app cannot be added without a session, or to another person's account", async () => {
  const stranger = t.client()
  expect(outcome(await stranger.post('/two-factor/enable', { password }))).toEqual([401, 'UNAUTHORIZED'])
  expect(outcome(await verify(stranger, '123456'))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  const { totpURI } = await withAuthenticator(t, 'mine@example.com')
  const other = await withAuthenticator(t, 'theirs@example.com')
  t.clock.advance({ seconds: 30 })
  // The password of one person and the code of another.
  const browser = await withPassword(t, 'theirs@example.com')
  expect(outcome(await verify(browser, codeOf(totpURI)))).toEqual([401, 'INVALID_CODE'])
  expect(outcome(await verify(other.browser, codeOf(totpURI)))).toEqual([401, 'INVALID_CODE'])
  expect(await isSignedIn(browser)).toBe(false)
  expect((await t.client().post('/two-factor/enable', { password, userId: 'x' })).status).toBe(401)
})

test('with an authenticator app a sign-in needs the password and an app code, and the password alone starts no session', async () => {
  const email = 'sign-in@example.com'
  const { totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 30 })
  const browser = t.client()
  const first = await browser.post('/sign-in/email', { email, password })
  expect(first.json).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['totp', 'recovery-code'] })
  expect(first.json).not.toHaveProperty('token')
  expect(await isSignedIn(browser)).toBe(false)
  for (const path of ['get-totp-uri', 'disable', 'generate-backup-codes'])
    expect(outcome(await browser.post(`/two-factor/${path}`, { password }))).toEqual([401, 'UNAUTHORIZED'])
  expect(outcome(await browser.post('/two-factor/enable', { password }))).toEqual([401, 'UNAUTHORIZED'])
  const second = await verify(browser, codeOf(totpURI))
  expect(second.json).toMatchObject({ token: expect.any(String), user: { email } })
  expect(await isSignedIn(browser)).toBe(true)
})

test('an authenticator app code works once, even if the second use is in another browser', async () => {
  const email = 'replay@example.com'
  const { totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 30 })
  const code = codeOf(totpURI)
  const [first, second] = [await withPassword(t, email), await withPassword(t, email)]
  expect(outcome(await verify(first, code))).toBe(200)
  expect(outcome(await verify(second, code))).toEqual([401, 'INVALID_CODE'])
  expect(outcome(await verify(first, code))).toEqual([401, 'INVALID_CODE'])
  expect(await isSignedIn(second)).toBe(false)
  t.clock.advance({ seconds: 30 })
  expect(outcome(await verify(second, codeOf(totpURI)))).toBe(200)
})

testOnBoth('of many simultaneous sign-ins with one authenticator app code one succeeds', async () => {
  const email = 'race@example.com'
  const { totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 30 })
  const browsers = await Promise.all(Array.from({ length: 6 }, () => withPassword(t, email)))
  const code = codeOf(totpURI)
  const answers = await Promise.all(browsers.map((browser) => verify(browser, code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const sessions = await Promise.all(browsers.map(isSignedIn))
  expect(sessions.filter((is) => is)).toHaveLength(1)
})

testOnBoth('of several simultaneous first codes of a new authenticator app one succeeds', async () => {
  const browser = await t.signedIn('race-first@example.com')
  // The session is read before, because the last answer may remove the cookie that the winner set.
  const userId = await userOf(browser)
  const { totpURI } = await browser.api.twoFactor.enable()
  const code = codeOf(totpURI)
  const answers = await Promise.all([verify(browser, code), verify(browser, code), verify(browser, code)])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await eventsOfUser(userId)).filter((type) => type === 'totp.enabled')).toHaveLength(1)
})

test.each([
  [-2, [401, 'INVALID_CODE']],
  [-1, 200],
  [0, 200],
  [1, 200],
  [2, [401, 'INVALID_CODE']],
])('a clock that is %i steps off gets %j', async (steps, expected) => {
  const email = `drift${steps}@example.com`
  const { totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ minutes: 5 })
  const browser = await withPassword(t, email)
  expect(outcome(await verify(browser, codeOf(totpURI, steps)))).toEqual(expected)
})

test('an authenticator app code makes an old session fresh again, with a new token', async () => {
  const { browser, totpURI } = await withAuthenticator(t, 'step-up@example.com')
  t.clock.advance({ hours: 25 })
  const show = () => browser.post('/two-factor/get-totp-uri', { password })
  // The password alone is not enough for a person with a second factor.
  expect(outcome(await show())).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  const before = await browser.api.sessions.getSession()
  expect(outcome(await verify(browser, codeOf(totpURI)))).toBe(200)
  const after = await browser.api.sessions.getSession()
  expect(after?.session.id).toBe(before?.session.id)
  expect(after?.session.token).not.toBe(before?.session.token)
  const shown = await show()
  expect(new URL(String(shown.json['totpURI'])).searchParams.get('secret')).toBe(new URL(totpURI).searchParams.get('secret'))
})

test('a thief with the password has ten attempts in all browsers together, and does not slow down a browser of the owner', async () => {
  const email = 'guessed@example.com'
  const { browser: owner, totpURI } = await withAuthenticator(t, email)
  await owner.post('/sign-out')
  t.clock.advance({ seconds: 30 })
  for (let i = 0; i < 10; i += 1) {
    const thief = await withPassword(t, email)
    expect(outcome(await verify(thief, wrongCode(totpURI)))).toEqual([401, 'INVALID_CODE'])
  }
  const thief = await withPassword(t, email)
  expect(outcome(await verify(thief, codeOf(totpURI)))).toEqual([429, 'TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER'])
  const recovery = await thief.post('/two-factor/verify-backup-code', { code: 'aaaaa-aaaaa' })
  expect(recovery.status).toBe(429)
  await withPassword(t, email, owner)
  expect(outcome(await verify(owner, codeOf(totpURI)))).toBe(200)
})

testOnBoth('of many simultaneous guesses of an authenticator app code ten are checked', async () => {
  const email = 'guesses@example.com'
  const { totpURI } = await withAuthenticator(t, email)
  const browsers = await Promise.all(Array.from({ length: 4 }, () => withPassword(t, email)))
  const wrong = wrongCode(totpURI)
  const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => verify(browsers[i % 4] as Client, wrong)))
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
})

test('a stranger without the password cannot make the owner wait for the second step', async () => {
  const email = 'unharmed@example.com'
  const { totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 30 })
  const stranger = t.client()
  stranger.cookies.set('gatehouse.two_factor', `${'A'.repeat(32)}.${'B'.repeat(44)}`)
  for (let i = 0; i < 12; i += 1) expect(outcome(await verify(stranger, '123456'))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  const elsewhere = await withPassword(t, email)
  expect(outcome(await verify(elsewhere, codeOf(totpURI)))).toBe(200)
})

test.each(['totp', 'recovery code'])(
  'a browser that is remembered with a %s signs in by password alone, and the session is not fresh',
  async (kind) => {
    const email = `${kind.replace(' ', '-')}-remembered@example.com`
    const { totpURI, recoveryCodes } = await withAuthenticator(t, email)
    t.clock.advance({ seconds: 30 })
    const browser = await withPassword(t, email)
    const answer =
      kind === 'totp'
        ? await verify(browser, codeOf(totpURI), { trustDevice: true })
        : await browser.post('/two-factor/verify-backup-code', { code: recoveryCodes[0], trustDevice: true })
    expect(outcome(answer)).toBe(200)
    expect(await browser.api.twoFactor.status()).toMatchObject({ rememberedBrowsers: 1 })
    await browser.post('/sign-out')
    await withPassword(t, email, browser)
    expect(await isSignedIn(browser)).toBe(true)
    for (const path of ['disable', 'get-totp-uri', 'generate-backup-codes'])
      expect(outcome(await browser.post(`/two-factor/${path}`, { password }))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
    expect(await isSignedIn(await withPassword(t, email))).toBe(false)
    t.clock.advance({ seconds: 60 })
    expect(outcome(await verify(browser, codeOf(totpURI)))).toBe(200)
    expect(outcome(await browser.post('/two-factor/disable', { password }))).toBe(200)
    expect(await browser.api.twoFactor.status()).toMatchObject({ isEnabled: false, rememberedBrowsers: 0 })
  },
)

test('disabling the authenticator app requires the second factor in this session, and then the password signs in alone and the recovery codes are gone', async () => {
  const email = 'disabled@example.com'
  const { browser, totpURI, recoveryCodes } = await withAuthenticator(t, email)
  t.clock.advance({ hours: 25 })
  const disable = (body: object = { password }) => browser.post('/two-factor/disable', body)
  expect(outcome(await disable())).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  await verify(browser, codeOf(totpURI))
  expect(outcome(await disable({ password: 'wrong password' }))).toEqual([400, 'INVALID_PASSWORD'])
  expect((await disable()).json).toEqual({ status: true })
  expect((await disable()).json).toEqual({ status: true })
  expect(await browser.api.twoFactor.status()).toMatchObject({
    isEnabled: false,
    methods: [],
    totpSince: null,
    recoveryCodes: null,
  })
  expect((await eventsOf(browser)).filter((type) => type === 'totp.disabled')).toHaveLength(1)
  expect(await eventsOf(browser)).toContain('second_factor.disabled')
  const other = await withPassword(t, email)
  expect(await isSignedIn(other)).toBe(true)
  expect(outcome(await other.post('/two-factor/verify-backup-code', { code: recoveryCodes[0] }))).toEqual([
    400,
    'BACKUP_CODES_NOT_ENABLED',
  ])
})

test('an API key of a person and an impersonating session can neither see nor change second factors', async () => {
  const { browser } = await withAuthenticator(t, 'keyed@example.com')
  const { key } = await browser.api.apiKeys.createApiKey({
    body: { name: 'Test', permissions: ['account:update', 'identities:read'] },
  })
  const withKey = { authorization: `Bearer ${key}` }
  const calls = ['enable', 'disable', 'get-totp-uri', 'generate-backup-codes']
  for (const path of calls) expect((await t.client().post(`/two-factor/${path}`, { password }, withKey)).status).toBe(403)
  expect((await t.client().request('/two-factor/status', { headers: withKey })).status).toBe(403)

  const bob = await t.signedIn('bob@example.com')
  const userId = (await bob.api.sessions.getSession())?.user.id
  const administrator = await signedInAs(t, 'admin')
  expect((await administrator.post('/admin/impersonate-user', { userId })).status).toBe(200)
  for (const path of calls) expect((await administrator.post(`/two-factor/${path}`, {})).status).toBe(403)
  for (const path of ['verify-totp', 'verify-backup-code'])
    expect((await administrator.post(`/two-factor/${path}`, { code: '123456' })).status).toBe(401)
})

test('the secret of an authenticator app is sealed in the database, appears in no event, and is deleted with its user', async () => {
  const email = 'sealed@example.com'
  const { browser, totpURI } = await withAuthenticator(t, email)
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  const [row] = await rowsOf(email)
  expect(row.secret).toMatch(/^01[0-9a-f]{100,}$/)
  for (const table of ['totp', 'recovery_code_list', 'event', 'session', 'task', 'verification'])
    expect(JSON.stringify(await t.app.core.db.knex(table).select())).not.toContain(secret)
  await browser.api.deletion.deleteUser({ body: { password } })
  for (const [table, column] of [
    ['totp', 'id'],
    ['recovery_code_list', 'id'],
  ] as const)
    expect(await t.app.core.db.knex(table).where({ user_id: row.user_id }).select(column)).toEqual([])
})

test('an administrator with a passkey cannot add an authenticator app with the password alone once the session is no longer fresh', async () => {
  const admin = await signedInAs(t, 'admin', 'passkey-admin@example.com')
  await passkeySteps(() => t).register(admin, createAuthenticator())
  t.clock.advance({ hours: 25 })
  expect(outcome(await admin.post('/two-factor/enable', { password }))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
})
