/** Which links help a person who has lost a second factor. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { withAuthenticator } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const newPassword = 'another battery staple'
const operator = systemPrincipal('test')
const verify = async (email: string) => {
  await t.app.core.db.knex('user').where({ email }).update({ email_verified: true, email_ever_verified: true })
}
const reset = (token: string | undefined) => t.client().post('/reset-password', { token, newPassword })
const signIn = async (email: string, password = newPassword) =>
  (await t.client().post('/sign-in/email', { email, password })).json
const linkOf = async (email: string, options = {}) => {
  const { url } = await t.app.passwordService.createRecoveryLink(operator, email, options)
  return new URL(url).searchParams.get('token') ?? ''
}
const typesOf = async (email: string): Promise<readonly string[]> => {
  const { id } = await t.app.users.require(t.app.core.db, email)
  return t.app.core.db.knex('event').where({ subject_id: id }).pluck('type')
}

test('a password reset by mail keeps the second factor, and the next sign-in has to prove the factor', async () => {
  const email = 'mailed@example.com'
  await withAuthenticator(t, email)
  await verify(email)
  await t.client().post('/request-password-reset', { email })
  await t.mailKinds(email)
  const token = /reset-password\/(\w+)/.exec((await t.mailTo(email, 'reset-password')).link)?.[1]
  expect((await reset(token)).status).toBe(200)
  expect(await signIn(email)).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['totp', 'recovery-code'] })
  expect(await typesOf(email)).not.toContain('second_factor.removed')
})

test('the link that gives an account back to its earlier address keeps the second factor', async () => {
  const email = 'earlier@example.com'
  await withAuthenticator(t, email)
  await verify(email)
  const { core, users, recovery } = t.app
  const user = await users.require(core.db, email)
  const token = await core.transact((tx) => recovery.issue(tx, user))
  await core.db.knex('user').where({ id: user.id }).update({ email: 'thief@example.com', email_verified: false })
  expect((await t.client().post('/recover-address', { token, newPassword })).status).toBe(200)
  expect(await signIn(email)).toMatchObject({ twoFactorRedirect: true })
})

test('a verification link with the right password keeps the second factor and starts no session', async () => {
  const email = 'verifying@example.com'
  const { browser } = await withAuthenticator(t, email)
  await browser.post('/send-verification-email', { email })
  await t.mailKinds(email)
  const token = new URL((await t.mailTo(email, 'verification')).link).searchParams.get('token')
  const other = t.client()
  const answer = await other.post('/verify-email', { token, password })
  expect([answer.status, answer.json['token']]).toEqual([200, null])
  expect(await other.api.sessions.getSession()).toBeNull()
  expect(await signIn(email, password)).toMatchObject({ twoFactorRedirect: true })
})

test('a recovery link without the flag for second factors removes no second factor', async () => {
  const email = 'kept@example.com'
  await withAuthenticator(t, email)
  await verify(email)
  expect((await reset(await linkOf(email))).status).toBe(200)
  expect(await signIn(email)).toMatchObject({ twoFactorRedirect: true })
})

test('a recovery link with the flag removes all second factors once, when it is used, and the owner gets a notice', async () => {
  const email = 'lost@example.com'
  const { browser } = await withAuthenticator(t, email)
  await passkeySteps(() => t).register(browser, createAuthenticator())
  await verify(email)
  const token = await linkOf(email, { secondFactor: true })
  expect(await typesOf(email)).not.toContain('second_factor.removed')
  expect((await reset(token)).status).toBe(200)
  expect((await reset(token)).status).toBe(400)
  expect(await signIn(email)).toMatchObject({ user: { email, twoFactorEnabled: false } })
  for (const table of ['totp', 'passkey', 'recovery_code_list'])
    expect([table, await t.app.core.db.knex(table).join('user', 'user.id', `${table}.user_id`).where({ email })]).toEqual([
      table,
      [],
    ])
  expect(await typesOf(email)).toEqual(expect.arrayContaining(['second_factor.removed', 'second_factor.disabled']))
  expect(await t.mailKinds(email)).toEqual(expect.arrayContaining(['password-changed', 'second-factor-removed']))
})

test('a recovery link that removes second factors is invalid once the email address is no longer verified or the password has changed', async () => {
  for (const email of ['unverified@example.com', 'changed@example.com']) {
    await withAuthenticator(t, email)
    await verify(email)
    const token = await linkOf(email, { secondFactor: true })
    if (email.startsWith('un')) await t.app.core.db.knex('user').where({ email }).update({ email_verified: false })
    else await t.app.passwordService.set(operator, email, 'a third battery staple', { replaces: true })
    expect((await reset(token)).status).toBe(400)
    expect(await typesOf(email)).not.toContain('second_factor.removed')
  }
})
