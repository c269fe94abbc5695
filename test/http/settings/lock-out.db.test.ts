/** No setting, and no policy that changes during a sign-in, locks the last administrator out. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withPassword } from '../../support/totp.ts'

let t: TestApp
let admin: Client
const email = 'admin@staff.example'
beforeAll(async () => {
  t = await testApp({ config: { limits: { enabled: 'off' } } })
  admin = await signedInAs(t, 'admin', email)
})
afterAll(() => t?.stop())
beforeEach(async () => {
  const keys = (await t.app.settings.read()).settings.map((one) => one.key)
  await t.app.settings.change(systemPrincipal('test'), new Map(keys.map((key) => [key, undefined])))
})

const { register } = passkeySteps(() => t)
const patch = (set: Readonly<Record<string, unknown>>, more: object = {}) =>
  admin.request('/admin/settings', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ set, ...more }),
  })
const refused = { status: 400, json: { code: 'SETTINGS_ARE_INVALID' } }

test('a change of settings after which no administrator could sign in is refused, and the message names the key and a remedy', async () => {
  const off = { 'accounts.emailPasswordEnabled': false }
  for (const more of [{}, { dryRun: true }]) {
    const answer = await patch(off, more)
    expect(answer).toMatchObject(refused)
    expect(answer.json['message']).toContain('accounts.emailPasswordEnabled no administrator could sign in any more')
  }
  const byCommand = t.app.settings.change(systemPrincipal('test'), new Map(Object.entries(off)))
  await expect(byCommand).rejects.toMatchObject({ code: 'SETTINGS_ARE_INVALID' })
  // A mailed link signs everybody in.
  expect(await patch({ ...off, 'mailSignIn.enabled': true })).toMatchObject({ status: 200 })
  expect(await patch({ 'mailSignIn.enabled': false })).toMatchObject(refused)
  expect(
    await admin.request('/admin/settings/revert', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ version: 0 }) },
    }),
  ).toMatchObject({ status: 200 })
})

test("passkeys and their domain cannot be switched off or changed while they are the last administrator's only sign-in method or second factor", async () => {
  await register(admin, createAuthenticator())
  expect(await patch({ 'accounts.emailPasswordEnabled': false })).toMatchObject({ status: 200 })
  expect(await patch({ 'passkeys.enabled': false })).toMatchObject(refused)
  expect(await patch({ 'passkeys.rpId': 'localhost' })).toMatchObject(refused)
  expect(await patch({ 'accounts.emailPasswordEnabled': true })).toMatchObject({ status: 200 })
  // The role requires two factors as soon as one of its people has a second one.
  expect(await patch({ 'passkeys.enabled': false })).toMatchObject(refused)
  expect(await patch({ 'passkeys.enabled': false, 'secondFactor.requiredFor': [] })).toMatchObject({ status: 200 })
  expect(await patch({ 'secondFactor.requiredFor': ['admin'] })).toMatchObject(refused)
  await t.app.core.transact((tx) => tx.knex('passkey').delete())
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ second_factor_since: null }))
})

test('an administrator signs in by adding a second factor if a policy begins to require it between two steps of the sign-in', async () => {
  const [former, waiting] = [t.client(), t.client()]
  await former.post('/sign-in/email', { email, password })
  const policy = await patch({ 'secondFactor.requiredFor': ['admin'], 'secondFactor.graceDays': 0 })
  expect(policy).toMatchObject({ status: 200, json: { isApplied: true } })
  const browser = await withPassword(t, email)
  expect(await browser.api.sessions.getSession()).toBeNull()
  // The former session keeps the account, and loses its permissions until the factor is added.
  expect(await former.request('/admin/settings')).toMatchObject({ status: 403, json: { code: 'SECOND_FACTOR_REQUIRED' } })
  const { totpURI } = await browser.api.twoFactor.enable()
  const added = await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  expect(added).toMatchObject({ status: 200 })
  expect(await browser.request('/admin/settings')).toMatchObject({ status: 200 })
  expect((await waiting.post('/sign-in/email', { email, password })).json).toMatchObject({ twoFactorRedirect: true })
})
