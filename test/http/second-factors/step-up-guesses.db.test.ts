/** Wrong second factors in a session count like those in a sign-in: for the account, and separately for each known browser. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { codeOf, withAuthenticator, withPassword, wrongCode } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
beforeEach(() => t.clock.advance({ minutes: 30 }))
afterAll(() => t.stop())

const verify = async (browser: Client, code: string) => (await browser.post('/two-factor/verify-totp', { code })).status
/** Another browser with the session cookie of this one, but without its device cookie. */
const stolenFrom = (owner: Client): Client => {
  const thief = t.client()
  thief.cookies.set('gatehouse.session', owner.cookies.get('gatehouse.session') ?? '')
  return thief
}
const fill = async (browser: Client, totpURI: string) => {
  for (let n = 0; n < 10; n += 1) expect(await verify(browser, wrongCode(totpURI))).toBe(401)
}

test('wrong codes are counted per account across sessions and sign-ins of unknown browsers, and do not slow down known browsers', async () => {
  const email = 'ann@example.com'
  const { browser: owner, totpURI } = await withAuthenticator(t, email)
  const second = await withPassword(t, email)
  t.clock.advance({ seconds: 60 })
  expect(await verify(second, codeOf(totpURI))).toBe(200)
  const [thief, elsewhere] = [stolenFrom(owner), stolenFrom(second)]
  await fill(thief, totpURI)
  expect(await verify(thief, wrongCode(totpURI))).toBe(429)
  expect(await verify(elsewhere, wrongCode(totpURI))).toBe(429)
  expect(await verify(await withPassword(t, email), wrongCode(totpURI))).toBe(429)
  t.clock.advance({ seconds: 5 })
  expect(await verify(await withPassword(t, email, owner), codeOf(totpURI, 1))).toBe(200)
  t.clock.advance({ seconds: 60 })
  expect(await verify(second, codeOf(totpURI))).toBe(200)
})

test('a new session in a known browser gives no new attempts for codes', async () => {
  const email = 'ben@example.com'
  const { browser, totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 60 })
  await withPassword(t, email, browser)
  await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI), trustDevice: true })
  await fill(browser, totpURI)
  await browser.post('/sign-out')
  await withPassword(t, email, browser)
  expect(await browser.api.sessions.getSession()).not.toBeNull()
  expect(await verify(browser, wrongCode(totpURI))).toBe(429)
})
