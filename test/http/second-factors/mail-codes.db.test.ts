/** Mailed codes as a second factor: where they are allowed, and what they never give access to. */
import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer, Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'
import { activeOf, add, create, to } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { secondFactor: { mailCodes: true }, mailSignIn: { enabled: true } } })
})
afterAll(() => t.stop())

const outcome = ({ status, json }: Answer) => (status === 200 ? 200 : [status, json['code']])
const isSignedIn = async (browser: Client) => (await browser.api.sessions.getSession()) !== null
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const verify = (browser: Client, code: string, more: object = {}) => browser.post('/two-factor/verify-otp', { code, ...more })

/** A user with a verified address and an authenticator app. */
const enrolled = async (email: string) => {
  const user = await withAuthenticator(t, email)
  await t.verify(email)
  return user
}

/** Requests a code and reads it from the mail. */
const send = async (browser: Client, email: string): Promise<string> => {
  const before = (await t.mailKinds(email)).length
  const answer = await browser.post('/two-factor/send-otp')
  expect([answer.status, answer.json]).toEqual([200, { status: true }])
  expect(await t.mailKinds(email)).toHaveLength(before + 1)
  await t.mails()
  return /^(\d{6})\s*$/m.exec((await t.mailTo(email, 'second-factor-code')).raw)?.[1] ?? ''
}

const authenticationOf = async (browser: Client) => {
  const id = (await browser.api.sessions.getSession())?.session.id ?? ''
  return t.app.core.db.knex('session').where({ id }).first('acr', 'amr', 'factors')
}

test('a mailed code works once as the second step after the password, and raises no authentication class', async () => {
  const email = 'ann@example.com'
  await enrolled(email)
  const browser = await withPassword(t, email)
  expect(await isSignedIn(browser)).toBe(false)
  const code = await send(browser, email)
  expect(code).toMatch(/^\d{6}$/)
  const answer = await verify(browser, code)
  expect([answer.status, answer.json]).toMatchObject([200, { token: expect.any(String), user: { email } }])
  expect(await isSignedIn(browser)).toBe(true)
  expect(await authenticationOf(browser)).toMatchObject({ acr: 'urn:gatehouse:acr:1fa', factors: 2 })
  expect(await t.app.core.db.knex('mail_code').join('user', 'user.id', 'mail_code.user_id').where({ email })).toEqual([])
})

test('a sign-in lists the mailed code among the possible second steps, and the code is stored as a hash', async () => {
  const email = 'named@example.com'
  await enrolled(email)
  const browser = t.client()
  const { json } = await browser.post('/sign-in/email', { email, password })
  expect(json['twoFactorMethods']).toContain('otp')
  const code = await send(browser, email)
  const rows = await t.app.core.db.knex('mail_code').join('user', 'user.id', 'mail_code.user_id').where({ email })
  expect(JSON.stringify(rows)).not.toContain(code)
})

testOnBoth(
  'three wrong attempts invalidate a mailed code, even simultaneous attempts, and a new code can be requested',
  async () => {
    const email = 'guess@example.com'
    await enrolled(email)
    const browser = await withPassword(t, email)
    const code = await send(browser, email)
    const answers = await Promise.all([1, 2, 3, 4].map(() => verify(browser, wrong(code))))
    expect(answers.filter((one) => one.json['code'] === 'INVALID_CODE').length).toBeLessThanOrEqual(3)
    expect(outcome(await verify(browser, code))).toEqual([400, 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'])
    const next = await send(browser, email)
    expect(outcome(await verify(browser, next))).toBe(200)
  },
)

test('a new mailed code replaces the earlier code, and a code expires after five minutes', async () => {
  const email = 'late@example.com'
  const { browser: own } = await enrolled(email)
  const browser = await withPassword(t, email)
  const [first, second] = [await send(browser, email), await send(browser, email)]
  if (first !== second) expect(outcome(await verify(browser, first))).toEqual([401, 'INVALID_CODE'])
  expect(outcome(await verify(browser, second))).toBe(200)
  const code = await send(own, email)
  t.clock.advance({ minutes: 6 })
  expect(outcome(await verify(own, code))).toEqual([400, 'OTP_HAS_EXPIRED'])
})

testOnBoth('a mailed code works only in the sign-in or session that requested it', async () => {
  const email = 'bound@example.com'
  await enrolled(email)
  const [mine, other] = [await withPassword(t, email), await withPassword(t, email)]
  const code = await send(mine, email)
  expect(outcome(await verify(other, code))).toEqual([400, 'OTP_HAS_EXPIRED'])
  expect(outcome(await verify(t.client(), code))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  const answers = await Promise.all([verify(mine, code), verify(mine, code)])
  expect(answers.map(outcome).filter((one) => one === 200)).toHaveLength(1)
})

test('no code is mailed before the first factor is proven', async () => {
  expect(outcome(await t.client().post('/two-factor/send-otp'))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
})

test('mailed codes are neither sent nor offered while secondFactor.mailCodes is off, which is the default', async () => {
  const off = await testApp()
  await withAuthenticator(off, 'off@example.com')
  await off.verify('off@example.com')
  const browser = off.client()
  const { json } = await browser.post('/sign-in/email', { email: 'off@example.com', password })
  expect(json['twoFactorMethods']).not.toContain('otp')
  expect(outcome(await browser.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
  expect(outcome(await verify(browser, '123456'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
  await off.stop()
})

test('a mailed code does not satisfy a required second factor', async () => {
  const strict = await testApp({ config: { secondFactor: { mailCodes: true, requiredFor: ['user'] } } })
  await withAuthenticator(strict, 'must@example.com')
  await strict.verify('must@example.com')
  const browser = await withPassword(strict, 'must@example.com')
  expect(outcome(await browser.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
  await strict.stop()
})

test('a session proven by a mailed code has no access to an organization that requires two factors until an authenticator app code is given', async () => {
  const boss = await enrolled('boss@example.com')
  const { totpURI } = await enrolled('coded@example.com')
  const strict = await create(boss.browser, 'strict')
  const members = (browser: Client) => browser.request(to('list-members', { organizationId: strict }))
  const refused = [403, 'SECOND_FACTOR_REQUIRED']
  const byCode = async (email: string) => {
    const browser = await withPassword(t, email)
    expect(outcome(await verify(browser, await send(browser, email)))).toBe(200)
    return browser
  }
  const coded = await byCode('coded@example.com')
  await add(t, strict, coded)
  await coded.post('/organization/set-active', { organizationId: strict })
  expect(outcome(await members(coded))).toBe(200)

  expect(
    (await boss.browser.post('/organization/update', { organizationId: strict, data: { requiresSecondFactor: true } })).status,
  ).toBe(200)
  expect(outcome(await members(coded))).toEqual(refused)
  expect(await activeOf(coded)).toBeNull()
  // Proving the password again does not restore the access.
  expect(outcome(await coded.post('/verify-password', { password }))).toBe(200)
  expect(outcome(await members(coded))).toEqual(refused)
  t.clock.advance({ seconds: 90 })
  expect(outcome(await coded.post('/two-factor/verify-totp', { code: codeOf(totpURI) }))).toBe(200)
  expect(outcome(await members(coded))).toBe(200)
  expect(outcome(await members(boss.browser))).toBe(200)

  await enrolled('joins@example.com')
  const joins = await byCode('joins@example.com')
  await add(t, strict, joins)
  expect(outcome(await members(joins))).toEqual(refused)
})

test('a mailed code is not accepted as the only second factor, or with an unverified email address', async () => {
  const plain = await t.signedIn('plain@example.com')
  await t.verify('plain@example.com')
  expect(outcome(await plain.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
  await withAuthenticator(t, 'unverified@example.com')
  const browser = await withPassword(t, 'unverified@example.com')
  expect(outcome(await browser.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
})

test('a mailbox alone opens no account: after a sign-in by mail, a mailed code is not accepted as second factor', async () => {
  const email = 'mailbox@example.com'
  const { totpURI } = await enrolled(email)
  const browser = t.client()
  await browser.post('/sign-in/magic-link', { email })
  const { raw } = await t.mailTo(email, 'sign-in')
  const otp = /^(\d{6})\s*$/m.exec(raw)?.[1]
  const { json } = await browser.post('/sign-in/email-otp', { email, otp })
  expect(json['twoFactorRedirect']).toBe(true)
  expect(json['twoFactorMethods']).toContain('totp')
  expect(json['twoFactorMethods']).not.toContain('otp')
  expect(await isSignedIn(browser)).toBe(false)
  expect(outcome(await browser.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
  t.clock.advance({ seconds: 60 })
  expect(outcome(await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) }))).toBe(200)
})

test('after a sign-in at a provider a mailed code is not accepted as second factor, unless the provider requires two factors', async () => {
  const github = await startGitHub()
  for (const [trustedProviders, expected] of [
    [[], [400, 'OTP_NOT_CONFIGURED']],
    [['github'], 200],
  ] as const) {
    const social = await testApp({
      config: { outbound, social: { github: github.section }, secondFactor: { mailCodes: true, trustedProviders } },
    })
    const email = 'social@example.com'
    await withAuthenticator(social, email)
    await social.verify(email)
    github.state.person = githubPerson(77, email)
    const browser = social.client()
    await signInAt(browser, { provider: 'github', callbackURL: '/account' })
    expect(outcome(await browser.post('/two-factor/send-otp'))).toEqual(expected)
    const { json } = await browser.request('/two-factor/pending')
    expect(json['methods']).toEqual(expected === 200 ? expect.anything() : ['totp', 'recovery-code'])
    await social.stop()
  }
  await github.stop()
})

test('a mailbox alone opens no account: after a reset by mail no code is mailed until another second factor is proven', async () => {
  const email = 'reset@example.com'
  const { totpURI } = await enrolled(email)
  await t.client().api.passwords.requestPasswordReset({ body: { email } })
  const { link } = await t.mailTo(email, 'reset-password')
  const token = new URL(link).pathname.split('/').at(-1) ?? ''
  await t.client().api.passwords.resetPassword({ body: { token, newPassword: password } })
  const thief = t.client()
  const { json } = await thief.post('/sign-in/email', { email, password })
  expect(json['twoFactorMethods']).not.toContain('otp')
  expect(outcome(await thief.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
  t.clock.advance({ seconds: 60 })
  const owner = await withPassword(t, email)
  expect(outcome(await owner.post('/two-factor/verify-totp', { code: codeOf(totpURI) }))).toBe(200)
  const later = await withPassword(t, email)
  expect(outcome(await verify(later, await send(later, email)))).toBe(200)
})

test('a mailbox alone opens no account: a passkey used by the owner after a reset does not prove the new password', async () => {
  const email = 'beside@example.com'
  const { browser: own } = await enrolled(email)
  const steps = passkeySteps(() => t)
  const authenticator = createAuthenticator()
  await steps.register(own, authenticator)
  await t.client().api.passwords.requestPasswordReset({ body: { email } })
  const { link } = await t.mailTo(email, 'reset-password')
  const token = new URL(link).pathname.split('/').at(-1) ?? ''
  await t.client().api.passwords.resetPassword({ body: { token, newPassword: password } })
  const owner = t.client()
  await steps.signIn(owner, authenticator)
  expect(await isSignedIn(owner)).toBe(true)
  const thief = await withPassword(t, email)
  expect(outcome(await thief.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
})

test('a new password invalidates a mailed second-factor code', async () => {
  const email = 'changed@example.com'
  const { browser: own } = await enrolled(email)
  const browser = await withPassword(t, email)
  const code = await send(browser, email)
  const body = { currentPassword: password, newPassword: `${password} 2`, revokeOtherSessions: true }
  await own.api.passwords.changePassword({ body })
  expect(outcome(await verify(browser, code))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
})

test('a user gets at most three mailed codes an hour, the last code stays valid, and notices are still sent', async () => {
  const free = { max: 10_000 }
  const limits = { enabled: 'on', strict: free, general: free }
  const limited = await testApp({ config: { secondFactor: { mailCodes: true }, limits } })
  const email = 'limited@example.com'
  const { browser } = await withAuthenticator(limited, email)
  await limited.verify(email)
  const answers: unknown[] = []
  for (let n = 0; n < 4; n += 1) answers.push(outcome(await browser.post('/two-factor/send-otp')))
  expect(answers).toEqual([200, 200, 200, [429, 'TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER']])
  await limited.mails()
  const code = /^(\d{6})\s*$/m.exec((await limited.mailTo(email, 'second-factor-code')).raw)?.[1] ?? ''
  expect(outcome(await verify(browser, code))).toBe(200)
  await browser.api.passwords.changePassword({ body: { currentPassword: password, newPassword: `${password} 2` } })
  expect(await limited.mailKinds(email)).toContain('password-changed')
  await limited.stop()
})

test('a remembered browser signs in with the password only, with no higher authentication class, and its session is not fresh', async () => {
  const email = 'remembered@example.com'
  const { totpURI } = await enrolled(email)
  t.clock.advance({ seconds: 60 })
  const browser = await withPassword(t, email)
  expect(outcome(await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI), trustDevice: true }))).toBe(200)
  expect(await browser.api.rememberedBrowsers.listRememberedBrowsers()).toMatchObject([{ current: true }])
  await browser.post('/sign-out')
  t.clock.advance({ days: 2 })
  const again = await browser.post('/sign-in/email', { email, password })
  expect([again.status, again.json['twoFactorRedirect']]).toEqual([200, undefined])
  expect(await authenticationOf(browser)).toMatchObject({ acr: 'urn:gatehouse:acr:1fa', factors: 2 })
  expect(outcome(await browser.post('/change-email', { newEmail: 'elsewhere@example.com' }))).toEqual([
    403,
    'SESSION_IS_NOT_FRESH',
  ])
  const [listed] = await browser.api.rememberedBrowsers.listRememberedBrowsers()
  expect(listed?.lastUsedAt.getTime()).toBeGreaterThan(listed?.createdAt.getTime() ?? Number.POSITIVE_INFINITY)
  await browser.api.rememberedBrowsers.revokeRememberedBrowsers()
  await browser.post('/sign-out')
  expect((await browser.post('/sign-in/email', { email, password })).json['twoFactorRedirect']).toBe(true)
})

test('a sign-in with a mailed code remembers the browser on request', async () => {
  const email = 'trusted@example.com'
  await enrolled(email)
  const browser = await withPassword(t, email)
  expect(outcome(await verify(browser, await send(browser, email), { trustDevice: true }))).toBe(200)
  await browser.post('/sign-out')
  expect((await browser.post('/sign-in/email', { email, password })).json['twoFactorRedirect']).toBeUndefined()
})
