/** One browser and two people: the pending sign-in of one, and the session of another. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import type { Client } from '../../support/client.ts'
import { outcome, passkeySteps, refusal } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { secondFactor: { requiredFor: ['admin'], graceDays: 0, mailCodes: true } } })
  t.clock.hold()
})
beforeEach(() => t.clock.advance({ seconds: 90 }))
afterAll(() => t.stop())
const passkeys = passkeySteps(() => t)

const emailIn = async (browser: Client) => (await browser.api.sessions.getSession())?.user.email ?? null
const administrator = async (email: string) => {
  await t.signedIn(email)
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'admin' }))
}
const factorsOf = async (email: string) => {
  const { knex } = t.app.core.db
  const { id } = await knex('user').where({ email }).first('id')
  const [apps, keys] = [
    await knex('totp').where({ user_id: id }).select('id'),
    await knex('passkey').where({ user_id: id }).select('id'),
  ]
  return apps.length + keys.length
}

test('a sign-in that waits for its second step ends the session of another person in the browser', async () => {
  const { totpURI } = await withAuthenticator(t, 'ann@example.com')
  const browser = await t.signedIn('bob@example.com')
  const { knex } = t.app.core.db
  const sessionsOfBob = () =>
    knex('session').join('user', 'user.id', 'session.user_id').where({ 'user.email': 'bob@example.com' }).select('session.id')
  expect(await sessionsOfBob()).toHaveLength(1)
  await withPassword(t, 'ann@example.com', browser)
  expect(await emailIn(browser)).toBeNull()
  expect(browser.cookies.has('gatehouse.session')).toBe(false)
  expect(await sessionsOfBob()).toEqual([])
  expect(outcome(await browser.post('/two-factor/enable', { password }))).toEqual([401, 'UNAUTHORIZED'])
  t.clock.advance({ seconds: 60 })
  expect((await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  expect(await emailIn(browser)).toBe('ann@example.com')
})

test('a sign-in of the same person that waits for its second step keeps the session in the browser', async () => {
  const { browser } = await withAuthenticator(t, 'same@example.com')
  expect((await browser.post('/sign-in/email', { email: 'same@example.com', password })).json['twoFactorRedirect']).toBe(true)
  expect(await emailIn(browser)).toBe('same@example.com')
})

test('a second factor added during the pending sign-in of an administrator belongs to the administrator, and never to the person signed in before', async () => {
  await administrator('boss@example.com')
  const browser = await t.signedIn('clerk@example.com')
  await withPassword(t, 'boss@example.com', browser)
  const { json } = await browser.post('/two-factor/enable', {})
  expect(String(json['totpURI'])).toContain('boss%40example.com')
  expect((await browser.post('/two-factor/verify-totp', { code: codeOf(String(json['totpURI'])) })).status).toBe(200)
  expect(await emailIn(browser)).toBe('boss@example.com')
  expect(await factorsOf('clerk@example.com')).toBe(0)
})

test("in a browser with one person's session and another person's pending sign-in, no second factor can be proven or added", async () => {
  await administrator('root@example.com')
  const waiting = await withPassword(t, 'root@example.com')
  const { browser, totpURI, recoveryCodes } = await withAuthenticator(t, 'eve@example.com')
  await t.verify('eve@example.com')
  browser.cookies.set('gatehouse.two_factor', waiting.cookies.get('gatehouse.two_factor') ?? '')
  t.clock.advance({ seconds: 60 })
  const refused = [401, 'INVALID_TWO_FACTOR_COOKIE']
  const calls: readonly (readonly [string, object])[] = [
    ['/two-factor/enable', { password }],
    ['/two-factor/verify-totp', { code: codeOf(totpURI) }],
    ['/two-factor/verify-backup-code', { code: recoveryCodes[0] }],
    ['/two-factor/send-otp', {}],
    ['/two-factor/verify-otp', { code: '123456' }],
  ]
  for (const [path, body] of calls) expect([path, outcome(await browser.post(path, body))]).toEqual([path, refused])
  expect(outcome(await browser.request('/two-factor/pending'))).toEqual(refused)
  expect(await refusal(passkeys.register(browser, createAuthenticator()))).toEqual(refused)
  expect([await factorsOf('root@example.com'), await factorsOf('eve@example.com')]).toEqual([0, 1])
  // Nothing was used up: both people can continue, each in a browser of their own.
  browser.cookies.delete('gatehouse.two_factor')
  expect((await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  expect((await browser.post('/two-factor/verify-backup-code', { code: recoveryCodes[0] })).status).toBe(200)
  expect((await waiting.post('/two-factor/enable', {})).status).toBe(200)
})
