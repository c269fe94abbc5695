/**
 * The forms as password managers and browsers see them: the autofill tokens of HTML, the account of a password, and the rules for a new
 * password.
 */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { drawnByScript, launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'
import { withAuthenticator } from '../support/totp.ts'

const i18n = await loadI18n('en', [], ['account', 'secondFactor'])
let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { accounts: { deleteUserEnabled: true }, mailSignIn: { enabled: true } } })
  browser = await launchBrowser()
  await app.signedIn('ann@example.com')
  await withAuthenticator(app, 'ben@example.com')
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

/** Reads the form with a submit button: `type name autocomplete` of each field, and the value of a hidden user name. */
const read = `(() => {
  const form = [...document.querySelectorAll('main form, form')].find((one) => one.querySelector('button[type=submit]'))
  return [...(form?.querySelectorAll('input') ?? [])]
    .filter(({ type }) => !['checkbox', 'hidden'].includes(type))
    .map((input) => [input.type, input.name, input.autocomplete, input.hidden ? input.value : input.getAttribute('passwordrules')].filter(Boolean).join(' '))
})()`

const current = (name: string) => `password ${name} current-password`
const fresh = (name: string) => `password ${name} new-password minlength: 8; maxlength: 128;`
const whose = 'email username username ann@example.com'

test.each<[string, readonly string[], string?]>([
  ['/sign-in', ['email email username webauthn', current('password')]],
  ['/sign-up', ['text name name', 'email email username', fresh('password')]],
  ['/forgot-password', ['email email username']],
  ['/mail-sign-in', ['email email username']],
  ['/account/password', [whose, current('currentPassword'), fresh('newPassword')], 'ann@example.com'],
  ['/account/delete', ['text confirmation off', whose, current('password')], 'ann@example.com'],
  ['/account/profile', ['text name name', 'url image photo'], 'ann@example.com'],
])('the form of %s tells password managers the purpose of each field', async (path, fields, email) => {
  const self = await person(app, browser, i18n, path, email)
  await self.page.locator('form button[type=submit]').first().waitFor()
  if ((await self.page.locator('.early').count()) > 0) await drawnByScript(self.page)
  expect(await self.page.evaluate(read)).toEqual(fields)
  await self.leaves()
})

test('the form for a new password after a reset names the account for password managers', async () => {
  await app.client().post('/request-password-reset', { email: 'ann@example.com', redirectTo: '/reset-password' })
  const { link } = await app.mailTo('ann@example.com', 'reset-password')
  const ann = await person(app, browser, i18n, new URL(link).pathname + new URL(link).search)
  await ann.page.locator('form button[type=submit]').first().waitFor()
  const fields = await ann.page.evaluate<string[]>(read)
  expect(fields.filter((field) => !field.startsWith('radio'))).toEqual([whose, fresh('newPassword')])
  await ann.leaves()
})

test('the field of the second step is marked as a one-time code for browsers', async () => {
  const ben = await person(app, browser, i18n, '/sign-in')
  await ben.fills({ [i18n.t('field.email')]: 'ben@example.com', [i18n.t('field.password')]: password })
  await ben.presses(i18n.t('signIn.submit'))
  await ben.page.waitForURL('**/two-factor**')
  await ben.page.locator('form button[type=submit]').first().waitFor()
  expect(await ben.page.evaluate(read)).toEqual(['text code one-time-code'])
  expect(await ben.page.locator('input[name=code]').getAttribute('inputmode')).toBe('numeric')
  await ben.leaves()
})

test('/.well-known/change-password leads password managers to the form that changes the password', async () => {
  const answer = await fetch(`${app.url}/.well-known/change-password`, { redirect: 'manual' })
  expect(answer.headers.get('location')).toContain('/account/password')
  // Servers without the address have to answer other than 200 to an unknown one (W3C change-password, section 3.2).
  const missing = await fetch(`${app.url}/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200`)
  expect(missing.status).toBe(404)
})
