/** Mails about changes of the sign-in methods of an account. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { readMail } from '../../support/mailbox.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { withAuthenticator } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { mail: { requestsPerHour: 1, requestsPerAskerAndHour: 1 } } })
})
afterAll(() => t.stop())

const { register, signIn, personWithPasskey } = passkeySteps(() => t)

const mailTo = async (email: string, kind?: string) => readMail((await t.mailTo(email, kind)).raw)

test('one mail reports a new authenticator app with its recovery codes and origin, and links people with an unverified address to the account page', async () => {
  const email = 'ann@example.com'
  await withAuthenticator(t, email)
  expect(await t.mailKinds(email)).toEqual(['totp-enabled'])
  const { text, link } = await mailTo(email)
  for (const line of ['app was added', 'takes a second step', 'new recovery codes', '127.0.0.1', 'UTC'])
    expect(text).toContain(line)
  expect(link).toBe(`${t.url}/account`)
})

test('new recovery codes and a removed authenticator app are each reported in one mail', async () => {
  const email = 'ben@example.com'
  const { browser } = await withAuthenticator(t, email)
  await browser.api.twoFactor.generateBackupCodes({ body: { password } })
  await browser.api.twoFactor.disable({ body: { password } })
  expect(await t.mailKinds(email)).toEqual(['totp-enabled', 'recovery-codes-generated', 'totp-disabled'])
  const { text } = await mailTo(email, 'totp-disabled')
  for (const line of ['app was removed', 'no longer takes a second step']) expect(text).toContain(line)
})

test('the owner gets a mail for each added, removed or refused passkey', async () => {
  const email = 'cat@example.com'
  const { client, authenticator, passkey } = await personWithPasskey(email, { counter: 5 })
  await signIn(t.client(), authenticator)
  authenticator.traits.counter = 6
  expect((await signIn(t.client(), authenticator)).status).toBe(401)
  await client.api.passkeys.deletePasskey({ body: { id: passkey.id } })
  const kinds = await t.mailKinds(email)
  expect(kinds.filter((kind) => kind !== 'new-device')).toEqual(['user-passkey-added', 'passkey-refused', 'user-passkey-removed'])
  expect((await mailTo(email, 'passkey-refused')).text).toContain('may have been copied')
})

test('adding a security key that switches two-step verification on sends one mail', async () => {
  const email = 'dan@example.com'
  const client = await t.signedIn(email)
  await register(client, createAuthenticator({ userVerified: false }))
  expect(await t.mailKinds(email)).toEqual(['user-passkey-added'])
  expect((await mailTo(email)).text).toContain('takes a second step')
})

test("the notice of a second factor removed by an operator does not name the operator's device", async () => {
  const email = 'eve@example.com'
  await withAuthenticator(t, email)
  const { core, users, secondFactors } = t.app
  const { id } = await users.require(core.db, email)
  await core.transact((tx) => secondFactors.removeAll(tx, systemPrincipal('test'), id))
  expect(await t.mailKinds(email)).toEqual(['totp-enabled', 'second-factor-removed'])
  const { text } = await mailTo(email, 'second-factor-removed')
  expect(text).toContain('By an administrator')
  expect(text).not.toContain('127.0.0.1')
})

test("notices of a changed password or email address say from where and when, and an operator's change only names an operator", async () => {
  const email = 'jil@example.com'
  const browser = await t.signedIn(email)
  await t.verify(email)
  const phone = { 'user-agent': 'Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0' }
  await browser.post('/change-password', { currentPassword: password, newPassword: 'another battery staple' }, phone)
  const rows = ['Device: Firefox on Android', 'Network: 127.0.0.1', 'UTC']
  const changed = (await mailTo(email, 'password-changed')).text
  for (const row of rows) expect(changed).toContain(row)
  await browser.post('/change-email', { newEmail: 'jils-other@example.com' })
  await browser.request((await t.mailTo(email, 'change-email')).link, { headers: phone })
  const moved = (await mailTo(email, 'email-changed')).text
  for (const row of rows) expect(moved).toContain(row)

  const other = 'jils-other@example.com'
  await t.app.passwordService.set(systemPrincipal('test'), other, 'yet another battery', { replaces: true })
  const { text } = await mailTo(other, 'password-changed')
  expect(text).toContain('By an administrator')
  expect(text).not.toContain('127.0.0.1')
})

test('requested mails do not use up the limit of notices, and a refused change sends no notice', async () => {
  const email = 'fay@example.com'
  const browser = await t.signedIn(email)
  for (let i = 0; i < 3; i += 1) await t.client().post('/request-password-reset', { email })
  const { totpURI } = await browser.api.twoFactor.enable({ body: { password } })
  expect(totpURI).toContain('otpauth')
  expect((await browser.post('/two-factor/verify-totp', { code: '12345x' })).status).not.toBe(200)
  expect((await t.mailKinds(email)).filter((kind) => kind !== 'reset-password')).toEqual([])
  await register(browser, createAuthenticator())
  expect(await t.mailKinds(email)).toContain('user-passkey-added')
})

test('a person newly required to have a second factor gets a mail with the due date, unless they already have a second factor', async () => {
  const { core, users, secondFactors } = t.app
  const requiredOf = async (email: string) => {
    const user = await users.require(core.db, email)
    await core.transact((tx) => secondFactors.require(tx, systemPrincipal('test'), user, true))
  }
  const email = 'gus@example.com'
  await t.signedIn(email)
  await requiredOf(email)
  expect(await t.mailKinds(email)).toEqual(['second-factor-required'])
  const { text, link } = await mailTo(email, 'second-factor-required')
  expect(text).toMatch(/From: .*UTC/)
  expect(link).toBe(`${t.url}/account/sign-in-methods?enrol`)
  await withAuthenticator(t, 'hal@example.com')
  await requiredOf('hal@example.com')
  expect(await t.mailKinds('hal@example.com')).toEqual(['totp-enabled'])
})
