/** Authenticator apps and security keys that have to be added during a sign-in before it continues. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import type { Answer, Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withPassword } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { secondFactor: { requiredFor: ['user'], graceDays: 0 } } })
  t.clock.hold()
})
beforeEach(() => t.clock.advance({ seconds: 90 }))
afterAll(() => t.stop())

const { register } = passkeySteps(() => t)

const outcome = ({ status, json }: Answer) => (status === 200 ? 200 : [status, json['code']])
const isSignedIn = async (browser: Client) => (await browser.api.sessions.getSession()) !== null
const created = (email: string) => t.client().post('/sign-up/email', { name: 'Ann Example', email, password })
const enable = async (browser: Client) => (await browser.api.twoFactor.enable()).totpURI
const verify = (browser: Client, code: string) => browser.post('/two-factor/verify-totp', { code })

test('a person who must add a second factor adds an authenticator app after the password, and the first code continues the sign-in', async () => {
  const email = 'must@example.com'
  await created(email)
  const browser = t.client()
  const first = await browser.post('/sign-in/email', { email, password })
  expect(first.json).toMatchObject({ twoFactorRedirect: true })
  expect(await isSignedIn(browser)).toBe(false)
  const totpURI = await enable(browser)
  expect(await isSignedIn(browser)).toBe(false)
  const answer = await verify(browser, codeOf(totpURI))
  expect(answer.json).toMatchObject({ token: expect.any(String), user: { email, twoFactorEnabled: true } })
  expect(await isSignedIn(browser)).toBe(true)
  expect(await browser.api.twoFactor.status()).toMatchObject({ isEnabled: true, methods: ['totp', 'recovery-code'] })
  t.clock.advance({ seconds: 30 })
  const next = await withPassword(t, email)
  expect(outcome(await verify(next, codeOf(totpURI)))).toBe(200)
})

test('a person cannot remove a second factor that is required of them', async () => {
  const email = 'kept@example.com'
  await created(email)
  const browser = await withPassword(t, email)
  await verify(browser, codeOf(await enable(browser)))
  const removed = await browser.post('/two-factor/disable', { password })
  expect(outcome(removed)).toEqual([403, 'THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED'])
  expect(await browser.api.twoFactor.status()).toMatchObject({ isEnabled: true, recoveryCodes: { left: 10 } })
})

test('of two sign-ins that add a second factor, the first to prove its factor wins and the other adds none', async () => {
  const email = 'both@example.com'
  await created(email)
  const [owner, thief] = [await withPassword(t, email), await withPassword(t, email)]
  const totpURI = await enable(owner)
  expect(outcome(await verify(owner, codeOf(totpURI)))).toBe(200)
  expect(outcome(await thief.post('/two-factor/enable', {}))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  t.clock.advance({ seconds: 30 })
  expect(outcome(await verify(thief, codeOf(totpURI)))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  expect(await isSignedIn(owner)).toBe(true)
  expect(await isSignedIn(thief)).toBe(false)
})

test('a sign-in of a person with a second factor requires that factor and cannot add another factor', async () => {
  const email = 'has@example.com'
  await created(email)
  const owner = await withPassword(t, email)
  await verify(owner, codeOf(await enable(owner)))
  const thief = await withPassword(t, email)
  expect(outcome(await thief.post('/two-factor/enable', {}))).toEqual([401, 'UNAUTHORIZED'])
})

test('a sign-in that has to add a second factor expires five minutes after the password', async () => {
  const email = 'slow@example.com'
  await created(email)
  const browser = await withPassword(t, email)
  const totpURI = await enable(browser)
  t.clock.advance({ minutes: 5, seconds: 1 })
  expect(outcome(await verify(browser, codeOf(totpURI)))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
})

test('a security key added during a sign-in counts as the second step of this sign-in', async () => {
  await created('key@example.com')
  const browser = await withPassword(t, 'key@example.com')
  await register(browser, createAuthenticator({ userVerified: false }))
  expect((await browser.api.sessions.getSession())?.user).toMatchObject({ email: 'key@example.com', twoFactorEnabled: true })
})
