/** A thief with a session of the owner, while the owner has the password and the mailbox: which calls require a recent proof. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import type { Answer, Client } from '../../support/client.ts'
import { outcome, passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: { social: { github: { clientId: 'id', clientSecret: 'secret' } } },
  })
  t.clock.hold()
})
afterAll(() => t.stop())

const { register, sign, send } = passkeySteps(() => t)
const stale = [403, 'SESSION_IS_NOT_FRESH']

/** Another browser with the cookies of the owner's browser. */
const thiefOf = (owner: Client): Client => {
  const thief = t.client()
  for (const [name, value] of owner.cookies) thief.cookies.set(name, value)
  return thief
}
const newKey = { name: 'Mine', permissions: ['account:read'] }

/** Calls that would let a thief keep the account, and that take no password themselves. */
const takeovers = [
  ['a passkey', (thief) => thief.request('/passkey/generate-register-options')],
  ['an authenticator app', (thief) => thief.post('/two-factor/enable', {})],
  ['a replacement of the authenticator app', (thief) => thief.post('/two-factor/replace', {})],
  ['the secret of the app', (thief) => thief.post('/two-factor/get-totp-uri', {})],
  ['recovery codes', (thief) => thief.post('/two-factor/generate-backup-codes', {})],
  ['the removal of the second factor', (thief) => thief.post('/two-factor/disable', {})],
  ['an account at a provider', (thief) => thief.post('/link-social', { provider: 'github' })],
  ['the removal of the password', (thief) => thief.post('/unlink-account', { providerId: 'credential' })],
  ['an API key', (thief) => thief.post('/api-key/create', newKey)],
  ['another address', (thief) => thief.post('/change-email', { newEmail: 'thief@example.com' })],
] as const satisfies readonly (readonly [string, (thief: Client) => Promise<Answer>])[]

describe('a thief with a session that signed in eleven minutes ago', () => {
  let owner: Client
  beforeAll(async () => {
    owner = await t.signedIn('owner@example.com')
    await register(owner, createAuthenticator())
    t.clock.advance({ minutes: 11 })
  })

  test.each(takeovers)('a thief with a stolen session cannot use %s without the password', async (_, take) => {
    expect(outcome(await take(thiefOf(owner)))).toEqual(stale)
  })

  test('a thief with a stolen session cannot delete the account', async () => {
    const answer = await thiefOf(owner).post('/delete-user', {})
    expect(outcome(answer)).toEqual([400, 'SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION'])
  })

  test('a thief with a stolen session gains nothing by a wrong password', async () => {
    const thief = thiefOf(owner)
    for (const path of ['/two-factor/enable', '/delete-user', '/verify-password'])
      expect(outcome(await thief.post(path, { password: 'not the password' }))).toEqual([400, 'INVALID_PASSWORD'])
    expect(outcome(await thief.post('/api-key/create', newKey))).toEqual(stale)
  })
})

test('the password is a recent proof for ten minutes, and a call that contains the password needs no other proof', async () => {
  const owner = await t.signedIn('password@example.com')
  t.clock.advance({ hours: 25 })
  expect(outcome(await owner.post('/api-key/create', newKey))).toEqual(stale)
  await owner.post('/verify-password', { password })
  expect(outcome(await owner.post('/api-key/create', newKey))).toEqual([200, null])
  t.clock.advance({ minutes: 11 })
  expect(outcome(await owner.post('/api-key/create', newKey))).toEqual(stale)
  expect(outcome(await owner.post('/two-factor/enable', { password }))).toEqual([200, null])
})

test('a second factor added in a session is no recent proof in this session, and an earlier second factor is', async () => {
  const owner = await t.signedIn('new-factor@example.com')
  const thief = thiefOf(owner)
  // Within ten minutes after the owner signed in.
  const mine = createAuthenticator()
  await register(thief, mine)
  const { totpURI } = (await thief.post('/two-factor/enable', {})).json as { totpURI: string }
  expect((await thief.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  t.clock.advance({ minutes: 11 })
  expect((await thief.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  expect((await send(thief, await sign(thief, mine))).status).toBe(200)
  expect(outcome(await thief.post('/unlink-account', { providerId: 'credential' }))).toEqual(stale)
  expect(outcome(await thief.post('/two-factor/generate-backup-codes', {}))).toEqual(stale)
  expect(outcome(await thief.post('/change-email', { newEmail: 'thief@example.com' }))).toEqual(stale)

  const { browser, totpURI: app } = await withAuthenticator(t, 'old-factor@example.com')
  await browser.post('/sign-out')
  await browser.post('/sign-in/email', { email: 'old-factor@example.com', password })
  t.clock.advance({ seconds: 30 })
  expect((await browser.post('/two-factor/verify-totp', { code: codeOf(app) })).status).toBe(200)
  t.clock.advance({ minutes: 11 })
  expect(outcome(await browser.post('/api-key/create', newKey))).toEqual(stale)
  // For a person with a second factor the password alone is a proof too, as long as the session is fresh.
  expect(outcome(await browser.post('/two-factor/generate-backup-codes', { password }))).toEqual([200, null])
  await browser.post('/two-factor/verify-totp', { code: codeOf(app) })
  expect(outcome(await browser.post('/api-key/create', newKey))).toEqual([200, null])
})

test('a session that added its second factor also has to prove the password', async () => {
  const { browser, totpURI } = await withAuthenticator(t, 'more@example.com')
  expect(outcome(await browser.post('/two-factor/generate-backup-codes', {}))).toEqual([200, null])
  t.clock.advance({ minutes: 11 })
  expect(outcome(await browser.post('/two-factor/generate-backup-codes', {}))).toEqual(stale)
  expect(outcome(await browser.post('/two-factor/generate-backup-codes', { password }))).toEqual([200, null])
  t.clock.advance({ hours: 25 })
  expect(outcome(await browser.post('/two-factor/generate-backup-codes', { password }))).toEqual(stale)
  await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  expect(outcome(await browser.post('/two-factor/generate-backup-codes', { password }))).toEqual([200, null])
})

test('a second factor added in a session keeps the session fresh only together with the password', async () => {
  const { browser, totpURI } = await withAuthenticator(t, 'stays-fresh@example.com')
  const download = () => browser.request('/download-user-data')
  expect((await download()).status).toBe(200)
  t.clock.advance({ hours: 25 })
  await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  expect(outcome(await download())).toEqual(stale)
  await browser.post('/verify-password', { password })
  expect((await download()).status).toBe(200)
  t.clock.advance({ hours: 25 })
  await browser.post('/verify-password', { password })
  expect(outcome(await download())).toEqual(stale)
})

test('a person without a password can give a recent proof with a passkey that they already had', async () => {
  const first = await t.signedIn('keys@example.com')
  const authenticator = createAuthenticator()
  await register(first, authenticator)
  expect(outcome(await first.post('/unlink-account', { providerId: 'credential' }))).toEqual([200, null])
  const browser = t.client()
  await send(browser, await sign(browser, authenticator))
  t.clock.advance({ minutes: 11 })
  expect(outcome(await browser.post('/api-key/create', newKey))).toEqual(stale)
  await send(browser, await sign(browser, authenticator))
  expect(outcome(await browser.post('/api-key/create', newKey))).toEqual([200, null])
  // A passkey is no proof in the session that added it.
  expect((await send(first, await sign(first, authenticator))).status).toBe(200)
  expect(outcome(await first.post('/api-key/create', newKey))).toEqual(stale)
})

test('a new sign-in is a recent proof, also in the browser that added the second factor', async () => {
  const email = 'anew@example.com'
  const { browser, totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ hours: 25 })
  await browser.post('/sign-in/email', { email, password })
  expect((await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  expect(outcome(await browser.post('/two-factor/generate-backup-codes', {}))).toEqual([200, null])
})

test('a mailed code is a recent proof for a person with neither password nor second factor, and not for a person with a password', async () => {
  const email = 'mailed@example.com'
  const browser = await t.signedIn(email)
  await t.verify(email)
  expect(outcome(await browser.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
  const { core, users } = t.app
  const { id } = await users.require(core.db, email)
  // As after a sign-in in another browser, some time ago.
  await core.transact((tx) => tx.knex('account').where({ user_id: id }).delete())
  t.clock.advance({ minutes: 11 })
  expect(outcome(await browser.post('/api-key/create', newKey))).toEqual(stale)
  expect((await browser.post('/two-factor/send-otp')).status).toBe(200)
  await t.mails()
  const code = /^\s*(\d{6})\s*$/m.exec((await t.mailTo(email, 'second-factor')).raw)?.[1] ?? ''
  expect(outcome(await browser.post('/two-factor/verify-otp', { code: code === '000000' ? '111111' : '000000' }))).toEqual([
    401,
    'INVALID_CODE',
  ])
  expect((await browser.post('/two-factor/verify-otp', { code })).status).toBe(200)
  expect(outcome(await browser.post('/api-key/create', newKey))).toEqual([200, null])
  const row = await core.db.knex('session').where({ user_id: id }).first()
  expect([row.factors, row.acr]).toEqual([1, 'urn:gatehouse:acr:1fa'])
})
