/** Replacing an authenticator app in one step: the old app stays valid until the first code of the new one. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { outcome, passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator, withPassword, wrongCode } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { secondFactor: { rememberDays: 30 } } })
  t.clock.hold()
})
// Each test uses its own time step, so that its codes are new.
beforeEach(() => t.clock.advance({ seconds: 90 }))
afterAll(() => t.stop())

const { register } = passkeySteps(() => t)
const replace = async (browser: Client, body: object = {}) => browser.post('/two-factor/replace', body)
const uriOf = (answer: { readonly json: Record<string, unknown> }) => String(answer.json['totpURI'])
const confirm = (browser: Client, code: string) => browser.post('/two-factor/confirm-replacement', { code })
const verify = (browser: Client, code: string, more: object = {}) => browser.post('/two-factor/verify-totp', { code, ...more })
const isSignedIn = async (browser: Client) => (await browser.api.sessions.getSession()) !== null
const userIdOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id
const eventsOf = async (email: string): Promise<readonly string[]> =>
  t.app.core.db
    .knex('event')
    .where({ subject_id: await userIdOf(email) })
    .pluck('type')
const appsOf = async (email: string): Promise<readonly unknown[]> =>
  t.app.core.db
    .knex('totp')
    .where({ user_id: await userIdOf(email) })
    .select('id')
const signInWith = async (email: string, code: string) => verify(await withPassword(t, email), code)
/** The browser of a thief, with the cookies of the owner's browser. */
const stolenFrom = (owner: Client): Client => {
  const thief = t.client()
  for (const [name, value] of owner.cookies) thief.cookies.set(name, value)
  return thief
}

test('the old authenticator app stays valid until the first code of the new app, and recovery codes and other sessions stay valid', async () => {
  const email = 'ann@example.com'
  const { browser, totpURI: old, recoveryCodes } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 30 })
  const other = await withPassword(t, email)
  expect((await verify(other, codeOf(old))).status).toBe(200)
  const next = uriOf(await replace(browser))
  expect(new URL(next).searchParams.get('secret')).not.toBe(new URL(old).searchParams.get('secret'))

  t.clock.advance({ seconds: 30 })
  expect(outcome(await signInWith(email, codeOf(next)))).toEqual([401, 'INVALID_CODE'])
  expect(outcome(await signInWith(email, codeOf(old)))).toEqual([200, null])
  expect(outcome(await confirm(browser, wrongCode(next)))).toEqual([401, 'INVALID_CODE'])
  expect(outcome(await confirm(browser, codeOf(old, 1)))).toEqual([401, 'INVALID_CODE'])

  const before = (await browser.api.sessions.getSession())?.session
  expect(outcome(await confirm(browser, codeOf(next)))).toEqual([200, null])
  const after = (await browser.api.sessions.getSession())?.session
  expect([after?.id, after?.token === before?.token]).toEqual([before?.id, false])
  expect(await isSignedIn(other)).toBe(true)

  t.clock.advance({ seconds: 60 })
  expect(outcome(await signInWith(email, codeOf(old)))).toEqual([401, 'INVALID_CODE'])
  expect(outcome(await signInWith(email, codeOf(next)))).toEqual([200, null])
  const byPaper = await withPassword(t, email)
  expect((await byPaper.post('/two-factor/verify-backup-code', { code: recoveryCodes[0] })).status).toBe(200)
  expect(await browser.api.twoFactor.status()).toMatchObject({ isEnabled: true, methods: ['totp', 'recovery-code'] })
  expect(await appsOf(email)).toHaveLength(1)
  expect((await eventsOf(email)).filter((type) => type.startsWith('totp.'))).toEqual(['totp.enabled', 'totp.replaced'])
  expect(outcome(await confirm(browser, codeOf(next, 1)))).toEqual([400, 'TOTP_NOT_ENABLED'])
})

test('one notice reports a replaced authenticator app, and the link in the notice removes the new app', async () => {
  const email = 'bea@example.com'
  const owner = await t.signedIn(email)
  await t.verify(email)
  const { totpURI } = await owner.api.twoFactor.enable({ body: { password } })
  await verify(owner, codeOf(totpURI))
  await t.mails()
  t.clock.advance({ minutes: 1 })
  // Within ten minutes after the owner signed in.
  const thief = stolenFrom(owner)
  const next = uriOf(await replace(thief, { password }))
  expect(outcome(await confirm(thief, codeOf(next)))).toEqual([200, null])
  await t.mails()
  expect((await t.mailKinds(email)).filter((kind) => kind.startsWith('totp'))).toEqual(['totp-enabled', 'totp-replaced'])
  const { link, raw } = await t.mailTo(email, 'totp-replaced')
  expect(raw).toContain('replaced')
  const token = new URL(link).searchParams.get('token')
  const { json } = await t.client().post('/not-me', { token })
  expect(json).toMatchObject({ isNewPasswordMailed: true, waysIn: [], removed: [{ kind: 'totp' }] })
  expect(await isSignedIn(thief)).toBe(false)
  expect(await appsOf(email)).toEqual([])
})

test('a stolen session can replace the authenticator app only in its first ten minutes, and a code of the new app does not make that session fresh', async () => {
  const email = 'cas@example.com'
  const { browser: owner } = await withAuthenticator(t, email)
  const thief = stolenFrom(owner)
  const mine = uriOf(await replace(thief))
  expect(outcome(await confirm(thief, codeOf(mine)))).toEqual([200, null])
  t.clock.advance({ minutes: 11 })
  expect(outcome(await replace(thief))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  expect(outcome(await verify(thief, codeOf(mine)))).toEqual([200, null])
  for (const path of ['replace', 'get-totp-uri', 'generate-backup-codes', 'disable'])
    expect(outcome(await thief.post(`/two-factor/${path}`, {}))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  expect(outcome(await thief.post('/change-email', { newEmail: 'thief@example.com' }))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
})

test('an authenticator app replacement must be confirmed within an hour in the session that requested it, and never during an impersonation', async () => {
  const email = 'dan@example.com'
  const { browser, totpURI: old } = await withAuthenticator(t, email)
  expect(outcome(await confirm(browser, '123456'))).toEqual([400, 'TOTP_NOT_ENABLED'])
  const next = uriOf(await replace(browser))
  t.clock.advance({ seconds: 30 })
  const other = await withPassword(t, email)
  expect((await verify(other, codeOf(old))).status).toBe(200)
  expect(outcome(await confirm(other, codeOf(next)))).toEqual([400, 'TOTP_NOT_ENABLED'])
  const pending = await withPassword(t, email)
  expect(outcome(await confirm(pending, codeOf(next)))).toEqual([401, 'UNAUTHORIZED'])
  // The secret that was requested last is valid.
  const last = uriOf(await replace(browser))
  expect(outcome(await confirm(browser, codeOf(next)))).toEqual([401, 'INVALID_CODE'])
  t.clock.advance({ hours: 1, seconds: 1 })
  expect(outcome(await confirm(browser, codeOf(last)))).toEqual([400, 'TOTP_NOT_ENABLED'])
  expect(outcome(await verify(browser, codeOf(old)))).toEqual([200, null])
})

test('an authenticator app that does not exist, or is removed before the first code of the new app, cannot be replaced', async () => {
  const none = await t.signedIn('eve@example.com')
  expect(outcome(await replace(none))).toEqual([400, 'TOTP_NOT_ENABLED'])
  await none.api.twoFactor.enable({ body: { password } })
  expect(outcome(await replace(none))).toEqual([400, 'TOTP_NOT_ENABLED'])

  const email = 'fay@example.com'
  const { browser } = await withAuthenticator(t, email)
  await register(browser, createAuthenticator())
  const next = uriOf(await replace(browser))
  const { core, secondFactors } = t.app
  const id = await userIdOf(email)
  const [app] = (await secondFactors.list(core.db, id)).filter(({ kind }) => kind === 'totp')
  await core.transact((tx) => secondFactors.remove(tx, systemPrincipal('test'), id, app?.id ?? ''))
  expect(outcome(await confirm(browser, codeOf(next)))).toEqual([400, 'TOTP_NOT_ENABLED'])
  expect(await browser.api.twoFactor.status()).toMatchObject({ totpSince: null })
})

test('replacing an authenticator app forgets the browsers that were remembered with the old app', async () => {
  const email = 'gil@example.com'
  const { browser, totpURI: old } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 30 })
  const remembered = await withPassword(t, email)
  await verify(remembered, codeOf(old), { trustDevice: true })
  const next = uriOf(await replace(browser))
  expect((await confirm(browser, codeOf(next))).status).toBe(200)
  expect(await browser.api.twoFactor.status()).toMatchObject({ rememberedBrowsers: 0 })
  await remembered.post('/sign-out')
  expect(await isSignedIn(await withPassword(t, email, remembered))).toBe(false)
})

testOnBoth('of several simultaneous first codes of the new authenticator app one succeeds, and one app is left', async () => {
  const email = 'hal@example.com'
  const { browser } = await withAuthenticator(t, email)
  const next = uriOf(await replace(browser))
  const code = codeOf(next)
  const answers = await Promise.all([confirm(browser, code), confirm(browser, code), confirm(browser, code)])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await appsOf(email)).toHaveLength(1)
  expect((await eventsOf(email)).filter((type) => type === 'totp.replaced')).toHaveLength(1)
})

testOnBoth(
  'of two simultaneous replacements one stays pending, and of a replacement and a simultaneous removal of the app one succeeds',
  async () => {
    const email = 'ida@example.com'
    const { browser } = await withAuthenticator(t, email)
    const asked = await Promise.all([replace(browser), replace(browser), replace(browser)])
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await appsOf(email)).toHaveLength(2)
    const right = await replace(browser)
    const stolen = stolenFrom(browser)
    const [done, disabled] = await Promise.all([
      confirm(browser, codeOf(uriOf(right))),
      stolen.post('/two-factor/disable', { password }),
    ])
    expect(disabled.status === 200 || done.status === 200).toBe(true)
    const left = await appsOf(email)
    expect(left).toHaveLength(disabled.status === 200 ? 0 : 1)
  },
)

test('showing the secret of an authenticator app is mailed to the owner and recorded, because a copied secret makes the same codes', async () => {
  const email = 'jan@example.com'
  const owner = await t.signedIn(email)
  await t.verify(email)
  const { totpURI } = await owner.api.twoFactor.enable({ body: { password } })
  await verify(owner, codeOf(totpURI))
  t.clock.advance({ minutes: 1 })
  const thief = stolenFrom(owner)
  expect(uriOf(await thief.post('/two-factor/get-totp-uri', { password }))).toBe(totpURI)
  await t.mails()
  const { link, raw } = await t.mailTo(email, 'totp-shown')
  expect(raw).toContain('shown')
  expect(await eventsOf(email)).toContain('totp.shown')
  const { json } = await t.client().post('/not-me', { token: new URL(link).searchParams.get('token') })
  expect(json).toMatchObject({ waysIn: [], removed: [{ kind: 'totp' }] })
})
