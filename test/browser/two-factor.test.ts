/** The second step of a sign-in, in a real browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import enTexts from '../../admin-ui/locales/pages/en.json' with { type: 'json' }
import { createI18n } from '../../admin-ui/shared/i18n.ts'
import { authorizePath, redirectUri, register } from '../http/oidc/flow.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Person, person } from '../support/people.ts'
import { codeOf, withAuthenticator, wrongCode } from '../support/totp.ts'

const { pages: base, secondFactor: more } = enTexts

const en = { ...base, ...more }
const english = createI18n('en', en)
let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({
    config: {
      secondFactor: { requiredFor: ['admin'], graceDays: 0, mailCodes: true },
      mailSignIn: { enabled: true },
    },
  })
  app.clock.hold()
  browser = await launchBrowser()
})
// Each test has its own second step.
beforeEach(() => app.clock.advance({ seconds: 90 }))
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

/** Enters the password and arrives at the second step. */
const withPassword = async (email: string, from = '/sign-in'): Promise<Person> => {
  const self = await person(app, browser, english, from)
  await self.fills({ [en['field.email']]: email, [en['field.password']]: password })
  await self.presses(en['signIn.submit'])
  return self
}
const code = (self: Person) => self.page.getByLabel(en['code.label'], { exact: true })
const hasFocus = (self: Person) => self.page.locator('input[name=code]:focus').waitFor()

test('a pasted code of the authenticator app is submitted once without a press, and the person continues to the requested page', async () => {
  const { totpURI } = await withAuthenticator(app, 'ann@example.com')
  const ann = await withPassword('ann@example.com', '/sign-in?callbackURL=%2Faccount%2Fprofile')
  await ann.sees(en['step.title'])
  const calls: string[] = []
  ann.page.on('request', (request) => request.url().endsWith('/verify-totp') && calls.push(request.url()))
  expect(await code(ann).getAttribute('inputmode')).toBe('numeric')
  await hasFocus(ann)
  const digits = codeOf(totpURI, 1)
  await code(ann).fill(`${digits.slice(0, 3)} ${digits.slice(3)}`)
  await ann.page.waitForURL('**/account/profile')
  expect(calls).toHaveLength(1)
  expect(ann.problems()).toEqual([])
  await ann.leaves()
}, 60_000)

test('a wrong code is reported at its field, the focus stays in the field, and then the right code signs in', async () => {
  const { totpURI } = await withAuthenticator(app, 'bob@example.com')
  const bob = await withPassword('bob@example.com')
  await code(bob).fill(wrongCode(totpURI))
  await bob.reads(en['serverError.INVALID_CODE'])
  await bob.sees(en['step.title'])
  await hasFocus(bob)
  expect(await code(bob).getAttribute('aria-invalid')).toBe('true')
  await code(bob).fill(codeOf(totpURI, 1))
  await bob.page.waitForURL('**/account')
  await bob.leaves()
}, 60_000)

test('a recovery code replaces the code of the authenticator app, and the person is warned when few recovery codes are left', async () => {
  const { recoveryCodes } = await withAuthenticator(app, 'cleo@example.com')
  for (const recovery of recoveryCodes.slice(1, 6)) {
    const elsewhere = app.client()
    await elsewhere.post('/sign-in/email', { email: 'cleo@example.com', password })
    expect((await elsewhere.post('/two-factor/verify-backup-code', { code: recovery })).status).toBe(200)
  }
  for (const [index, recovery] of [recoveryCodes[6] ?? '', recoveryCodes[7] ?? ''].entries()) {
    const cleo = await withPassword('cleo@example.com')
    await cleo.presses(en['step.other'])
    await cleo.sees(en['step.choose'])
    await cleo.page.getByRole('button', { name: en['method.recoveryCode'] }).click()
    await cleo.page.getByLabel(en['method.recoveryCode'], { exact: true }).fill(recovery)
    if (index === 0) await cleo.sees(en['step.title'])
    await cleo.presses(en['common.continue'])
    if (index === 1) {
      await cleo.sees(en['codes.fewTitle'])
      await cleo.presses(en['common.continue'])
    }
    await cleo.page.waitForURL('**/account')
    await cleo.leaves()
  }
}, 120_000)

test('a mailed code is sent when the person asks for it, and signs in', async () => {
  await withAuthenticator(app, 'dora@example.com')
  await app.verify('dora@example.com')
  const dora = await withPassword('dora@example.com')
  await dora.presses(en['step.other'])
  await dora.page.getByRole('button', { name: en['method.mailCode'] }).click()
  await dora.page.getByText('d…@example.com').first().waitFor()
  await dora.sees(en['step.title'])
  await dora.presses(en['code.send'])
  const { raw } = await app.mailTo('dora@example.com', 'second-factor-code')
  await code(dora).waitFor()
  await dora.sees(en['step.title'])
  await code(dora).fill(/\b\d{6}\b/.exec(raw.slice(raw.indexOf('\n\n')))?.[0] ?? '')
  await dora.page.waitForURL('**/account')
  await dora.leaves()
}, 60_000)

test('a remembered browser skips the second step', async () => {
  const { totpURI } = await withAuthenticator(app, 'erin@example.com')
  const erin = await withPassword('erin@example.com')
  await erin.page.getByLabel('Do not ask again in this browser for 30 days').check()
  await code(erin).fill(codeOf(totpURI, 1))
  await erin.page.waitForURL('**/account')
  await erin.page.evaluate("fetch('/sign-out', { method: 'POST' }).then((answer) => answer.status)")
  await erin.signsIn('erin@example.com')
  await erin.leaves()
}, 60_000)

test('a person whose second step has expired starts the sign-in again and still reaches the requested page', async () => {
  const { totpURI } = await withAuthenticator(app, 'finn@example.com')
  const finn = await withPassword('finn@example.com', '/sign-in?callbackURL=%2Faccount%2Fprofile')
  await code(finn).waitFor()
  app.clock.advance({ minutes: 6 })
  await code(finn).fill(codeOf(totpURI))
  await finn.sees(en['step.overTitle'])
  await finn.follows(en['step.start'])
  await finn.fills({ [en['field.email']]: 'finn@example.com', [en['field.password']]: password })
  await finn.presses(en['signIn.submit'])
  await code(finn).fill(codeOf(totpURI))
  await finn.page.waitForURL('**/account/profile')
  await finn.leaves()
}, 60_000)

test('a sign-in with a second step redirects to no untrusted callback address', async () => {
  const { totpURI } = await withAuthenticator(app, 'gil@example.com')
  const gil = await withPassword('gil@example.com')
  await code(gil).waitFor()
  await gil.open('/two-factor?callbackURL=https%3A%2F%2Fevil.example%2F')
  await code(gil).fill(codeOf(totpURI, 1))
  await gil.page.waitForURL('**/account')
  await gil.leaves()
}, 60_000)

test('a person adds a required second factor during the sign-in: key and QR code, a first code, and recovery codes', async () => {
  const email = 'hugo@example.com'
  await app.signedIn(email)
  await app.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'admin' }))
  const hugo = await withPassword(email)
  await hugo.sees(en['enrol.title'])
  await hugo.page.getByRole('button', { name: en['method.totp'] }).click()
  await hugo.page.getByRole('img', { name: en['enrol.qr'] }).waitFor()
  await hugo.sees(en['enrol.appTitle'])
  const secret = ((await hugo.page.locator('.enrol-key').textContent()) ?? '').replaceAll(' ', '')
  await hugo.page.getByLabel(en['enrol.code'], { exact: true }).fill(codeOf(`otpauth://totp/x?secret=${secret}`))
  await hugo.sees(en['codes.title'])
  const shown = await hugo.page.locator('.recovery-codes li').allTextContents()
  expect(shown).toHaveLength(10)
  const saving = hugo.page.waitForEvent('download')
  await hugo.presses(en['codes.download'])
  expect((await saving).suggestedFilename()).toBe('recovery-codes.txt')
  await hugo.presses(en['codes.kept'])
  await hugo.page.waitForURL('**/account')
  expect(hugo.problems()).toEqual([])
  await hugo.leaves()

  const again = await withPassword(email)
  await again.presses(en['step.other'])
  await again.page.getByRole('button', { name: en['method.recoveryCode'] }).click()
  await again.page.getByLabel(en['method.recoveryCode'], { exact: true }).fill(shown[0] ?? '')
  await again.presses(en['common.continue'])
  await again.page.waitForURL('**/account')
  await again.leaves()
}, 90_000)

test('the second step of a sign-in to an application can be cancelled, and the application gets access_denied', async () => {
  const shop = await register(app, { redirectUris: [`${app.url}/ok`] })
  await withAuthenticator(app, 'back@example.com')
  const self = await withPassword('back@example.com', authorizePath(shop, { redirect_uri: `${app.url}/ok` }))
  await self.sees(en['step.title'])
  await self.presses(en['common.cancel'])
  await self.page.waitForURL(/\/ok\?error=access_denied&/)
  expect(self.problems()).toEqual([])
  await self.leaves()
}, 60_000)

test('an application that requires two factors gets an error when a person adds none, and a code when they add an authenticator app', async () => {
  const shop = await register(app, { skipConsent: true, requireAcr: '2fa' })
  await app.signedIn('step@example.com')
  const back = ({ page }: Person) => page.waitForRequest((request) => request.url().startsWith(redirectUri))
  const other = await withPassword('step@example.com', authorizePath(shop))
  await other.sees(en['enrol.title'])
  const declined = back(other)
  await other.presses(en['common.cancel'])
  expect((await declined).url()).toContain('error=unmet_authentication_requirements')
  await other.leaves()

  const step = await withPassword('step@example.com', authorizePath(shop))
  await step.sees(en['enrol.title'])
  await step.page.getByRole('button', { name: en['method.totp'] }).click()
  await step.sees(en['enrol.appTitle'])
  const secret = ((await step.page.locator('.enrol-key').textContent()) ?? '').replaceAll(' ', '')
  await step.page.getByLabel(en['enrol.code'], { exact: true }).fill(codeOf(`otpauth://totp/x?secret=${secret}`))
  const granted = back(step)
  await step.presses(en['codes.kept'])
  expect((await granted).url()).toContain('code=')
  await step.leaves()
}, 60_000)

/** A virtual authenticator of Chromium, like a device with a fingerprint reader. */
const withAuthenticatorOf = async ({ page }: Person, isUserVerified = true) => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified, automaticPresenceSimulation: true },
  })
  return { remove: () => cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }) }
}

test('a passkey added during a required set-up signs in from autofill, and after its removal the page says that it is unknown', async () => {
  const email = 'iris@example.com'
  await app.signedIn(email)
  await app.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'admin' }))
  const iris = await person(app, browser, english)
  await withAuthenticatorOf(iris)
  await iris.fills({ [en['field.email']]: email, [en['field.password']]: password })
  await iris.presses(en['signIn.submit'])
  await iris.sees(en['enrol.title'])
  await iris.page.getByRole('button', { name: en['method.passkey'] }).click()
  await iris.page.waitForURL('**/account')
  await iris.page.evaluate("fetch('/sign-out', { method: 'POST' }).then((answer) => answer.status)")
  // Chromium's virtual authenticator answers the autofill request of the address field.
  await iris.open('/sign-in?callbackURL=%2Faccount%2Fprofile')
  await iris.page.waitForURL('**/account/profile')
  await iris.page.evaluate("fetch('/sign-out', { method: 'POST' }).then((answer) => answer.status)")
  await app.app.core.transact((tx) => tx.knex('passkey').delete())
  await iris.open('/sign-in')
  await iris.reads(en['serverError.PASSKEY_NOT_FOUND'])
  await iris.sees(en['signIn.title'])
  await iris.presses(en['signIn.passkey'])
  await iris.reads(en['serverError.PASSKEY_NOT_FOUND'])
  await iris.leaves()
}, 90_000)

test('a mailed sign-in code signs in, and a wrong mailed code is reported', async () => {
  await app.signedIn('jo@example.com')
  await app.verify('jo@example.com')
  const jo = await person(app, browser, english, '/sign-in?callbackURL=%2Faccount%2Fprofile')
  await jo.follows(en['signIn.byMail'])
  await jo.sees(en['signIn.byMail'])
  await jo.fills({ [en['field.email']]: 'jo@example.com' })
  await jo.presses(en['byMail.submit'])
  await jo.sees(en['checkEmail.title'])
  const { raw } = await app.mailTo('jo@example.com', 'sign-in')
  const digits = /\b\d{6}\b/.exec(raw.slice(raw.search(/\r?\n\r?\n/)))?.[0] ?? ''
  await code(jo).fill(digits === '000000' ? '111111' : '000000')
  await jo.reads(en['serverError.INVALID_OTP'])
  await code(jo).fill(digits)
  await jo.page.waitForURL('**/account/profile')
  await jo.leaves()
}, 60_000)

test('the sign-in form that asks for the email address first looks the same for every email address', async () => {
  const other = await testApp({ config: { accounts: { addressFirst: true } } })
  await other.signedIn('kim@example.com')
  for (const email of ['nobody@example.com', 'kim@example.com']) {
    const kim = await person(other, browser, english)
    await kim.sees(en['signIn.title'])
    expect(await kim.page.getByLabel(en['field.password'], { exact: true }).count()).toBe(0)
    await kim.fills({ [en['field.email']]: email })
    // As a password manager does, which fills both fields at once.
    if (email === 'kim@example.com') await kim.page.locator('input[type=password]').fill(password)
    await kim.presses(en['common.continue'])
    const field = kim.page.getByLabel(en['field.password'], { exact: true })
    await field.waitFor()
    expect(kim.page.url()).not.toContain('password')
    expect(await field.inputValue()).toBe(email === 'kim@example.com' ? password : '')
    await kim.fills({ [en['field.password']]: password })
    await kim.presses(en['signIn.submit'])
    if (email === 'kim@example.com') await kim.page.waitForURL('**/account')
    else await kim.reads(en['problem.wrongPassword'])
    await kim.leaves()
  }
  await other.stop()
}, 60_000)
