/** Calls for which the password alone is not enough when the second factor was proven long ago. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { outcome } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
afterAll(() => t.stop())

const stale = [403, 'SESSION_IS_NOT_FRESH']
const calls = [
  ['/change-password', { currentPassword: password, newPassword: 'another battery staple' }],
  ['/delete-user', { password }],
  ['/delete-user', {}],
] as const

test.each(calls)('%s asks people with a second factor to prove it again a day after the last proof: %o', async (path, body) => {
  const { browser, totpURI } = await withAuthenticator(t, `ann${calls.findIndex((call) => call[1] === body)}@example.com`)
  t.clock.advance({ hours: 25 })
  expect(outcome(await browser.post(path, body))).toEqual(stale)
  expect((await browser.post('/verify-password', { password })).status).toBe(200)
  expect(outcome(await browser.post(path, body))).toEqual(stale)
  expect((await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  expect(outcome(await browser.post(path, body))).toEqual([200, null])
})

test('a request to delete the account sends no mailed link before the second factor is proven again', async () => {
  const strict = await t.node({ accounts: { deleteUserVerification: true } })
  const { browser } = await withAuthenticator(t, 'mailed@example.com')
  t.clock.advance({ hours: 25 })
  const there = strict.client()
  for (const [name, value] of browser.cookies) there.cookies.set(name, value)
  for (const body of [{}, { password }]) expect(outcome(await there.post('/delete-user', body, { origin: t.url }))).toEqual(stale)
  expect(await t.mailKinds('mailed@example.com')).not.toContain('delete-account')
  await strict.stop()
})

test('a person without a second factor can change the password and delete the account with the password, in a session of any age', async () => {
  const browser = await t.signedIn('plain@example.com')
  t.clock.advance({ hours: 25 })
  const newPassword = 'another battery staple'
  expect(outcome(await browser.post('/change-password', { currentPassword: password, newPassword }))).toEqual([200, null])
  expect(outcome(await browser.post('/delete-user', { password: newPassword }))).toEqual([200, null])
})
