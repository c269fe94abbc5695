/** The data for the page of the second step. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { secondFactor: { requiredFor: ['admin'], graceDays: 0 } } })
  t.clock.hold()
})
beforeEach(() => t.clock.advance({ seconds: 90 }))
afterAll(() => t.stop())

const pending = (browser: Client) => browser.request('/two-factor/pending')

test('the second step shows its methods, the days a browser is remembered, and a masked email address', async () => {
  const { totpURI } = await withAuthenticator(t, 'ann.lee@example.com')
  const browser = await withPassword(t, 'ann.lee@example.com')
  const { status, json } = await pending(browser)
  expect(status).toBe(200)
  expect(json).toEqual({
    ...{ methods: ['totp', 'recovery-code'], mustEnrol: false, origin: 'pending', rememberDays: 30 },
    email: 'a…@example.com',
  })
  await browser.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI, 1) } })
  expect((await pending(browser)).json).toMatchObject({ origin: 'session', rememberDays: 0 })
})

test('a person who must add a second factor is told so and is offered no second-step method', async () => {
  const email = 'boss@example.com'
  await t.signedIn(email)
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'admin' }))
  const browser = t.client()
  expect((await browser.post('/sign-in/email', { email, password })).json).toEqual({
    ...{ twoFactorRedirect: true, twoFactorMethods: [] },
  })
  expect((await pending(browser)).json).toMatchObject({ methods: [], mustEnrol: true, origin: 'pending', rememberDays: 0 })
})

test('the page of the second step gets no data without a pending sign-in or a session, or after the sign-in expired', async () => {
  const refusal = { code: 'INVALID_TWO_FACTOR_COOKIE' }
  expect((await pending(t.client())).json).toMatchObject(refusal)
  await withAuthenticator(t, 'late@example.com')
  const browser = await withPassword(t, 'late@example.com')
  t.clock.advance({ minutes: 6 })
  const answer = await pending(browser)
  expect([answer.status, answer.json['code']]).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
})

test('an untrusted callback address is refused before the page of the second step is shown', async () => {
  await withAuthenticator(t, 'away@example.com')
  const browser = await withPassword(t, 'away@example.com')
  const to = (address: string) => browser.request(`/two-factor/pending?callbackURL=${encodeURIComponent(address)}`)
  expect(await to('https://evil.example/')).toMatchObject({ status: 403, json: { code: 'INVALID_CALLBACKURL' } })
  expect(await to('/account/profile')).toMatchObject({ status: 200 })
})

test('the page of the second step does not offer to remember the browser if remembering is off', async () => {
  const other = await testApp({ config: { secondFactor: { rememberDays: 0 } } })
  await withAuthenticator(other, 'forget@example.com')
  const browser = await withPassword(other, 'forget@example.com')
  expect((await pending(browser)).json).toMatchObject({ rememberDays: 0 })
  await other.stop()
})
