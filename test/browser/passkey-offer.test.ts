/** After a sign-in with a password a page offers a passkey for the next time, in a real browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { drawnByScript, launchBrowser } from '../support/browser.ts'
import { type Person, person } from '../support/people.ts'

const i18n = await loadI18n('en', [], ['secondFactor'])
const { t } = i18n
let silent: TestApp
let asking: TestApp
let browser: Browser
beforeAll(async () => {
  silent = await testApp()
  asking = await testApp({ config: { passkeys: { offerAfterSignIn: 'ask' } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await silent?.stop()
  await asking?.stop()
})

/** A browser that does or does not create passkeys automatically. Chromium's virtual authenticators always ask, so this is simulated. */
const creating = (isAble: boolean, outcome = 'create.call(navigator.credentials, rest)') => `
  if (globalThis.PublicKeyCredential) PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: ${isAble} })
  const create = navigator.credentials.create
  navigator.credentials.create = async ({ mediation, ...rest }) => {
    globalThis.name += mediation ?? 'plain'
    return ${outcome}
  }`
const refusing = "Promise.reject(new DOMException('no', 'NotAllowedError'))"

const newcomer = async (app: TestApp, email: string, script: string): Promise<Person> => {
  await app.signedIn(email)
  const self = await person(app, browser, i18n)
  const cdp = await self.page.context().newCDPSession(self.page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  await self.page.addInitScript(script)
  await self.open('/sign-in')
  // Only the script offers a passkey. A form that the browser submits without it continues without an offer.
  await drawnByScript(self.page)
  return self
}
const givesPassword = async (self: Person, email: string) => {
  await self.fills({ [t('field.email')]: email, [t('field.password')]: password })
  await self.presses(t('signIn.submit'))
}
const arrives = (self: Person) => self.page.waitForURL('**/account')
const passkeysOf = (app: TestApp, email: string): Promise<readonly unknown[]> =>
  app.app.core.db.knex('passkey').join('user', 'user.id', 'passkey.user_id').where({ email }).select('passkey.id')
/** How this tab asked the browser for passkeys. */
const asked = (self: Person) => self.page.evaluate<string>('globalThis.name')

test('a browser that can create passkeys automatically creates one after a correct password, without asking the person', async () => {
  const email = 'ann@example.com'
  const ann = await newcomer(silent, email, creating(true))
  await givesPassword(ann, email)
  await arrives(ann)
  expect(await asked(ann)).toBe('conditional')
  expect(await passkeysOf(silent, email)).toHaveLength(1)
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})

test('a browser that refuses to create a passkey automatically does not stop the sign-in', async () => {
  const email = 'bob@example.com'
  const bob = await newcomer(silent, email, creating(true, refusing))
  await givesPassword(bob, email)
  await arrives(bob)
  expect(await asked(bob)).toBe('conditional')
  expect(await passkeysOf(silent, email)).toEqual([])
  await bob.leaves()
})

test('in a browser that cannot create a passkey automatically the page offers none, unless a setting says so', async () => {
  const email = 'cleo@example.com'
  const cleo = await newcomer(silent, email, creating(false))
  await givesPassword(cleo, email)
  await arrives(cleo)
  expect(await asked(cleo)).toBe('')
  await cleo.leaves()
})

test('with the setting to ask, a person is asked for a passkey once per browser, and a no is remembered for good', async () => {
  const email = 'dora@example.com'
  const dora = await newcomer(asking, email, creating(false))
  await givesPassword(dora, email)
  await dora.sees(t('offer.title'))
  await dora.presses(t('offer.decline'))
  await arrives(dora)
  await dora.page.evaluate("fetch('/sign-out', { method: 'POST' }).then((answer) => answer.status)")
  await dora.open('/sign-in')
  await givesPassword(dora, email)
  await arrives(dora)
  expect(await asked(dora)).toBe('')
  await dora.leaves()
})

test('with the setting to ask, a person can add a passkey during the sign-in, and a person with a passkey is not asked', async () => {
  const email = 'erin@example.com'
  const erin = await newcomer(asking, email, creating(false))
  await givesPassword(erin, email)
  await erin.sees(t('offer.title'))
  await erin.presses(t('offer.add'))
  await arrives(erin)
  expect(await passkeysOf(asking, email)).toHaveLength(1)
  expect(erin.problems()).toEqual([])
  await erin.leaves()
  const elsewhere = await person(asking, browser, i18n)
  await elsewhere.page.addInitScript(creating(false))
  await elsewhere.open('/sign-in')
  await givesPassword(elsewhere, email)
  await arrives(elsewhere)
  await elsewhere.leaves()
})

test('the setting "never" keeps a capable browser from creating a passkey', async () => {
  const app = await testApp({ config: { passkeys: { offerAfterSignIn: 'never' } } })
  const finn = await newcomer(app, 'finn@example.com', creating(true))
  await givesPassword(finn, 'finn@example.com')
  await arrives(finn)
  expect(await asked(finn)).toBe('')
  await finn.leaves()
  await app.stop()
})
