/** The journeys of people with the oldest supported browsers: Chromium without every function that some of these browsers lack. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { authorizePath, register } from '../http/oidc/flow.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { removeNames, youngerNames } from '../support/browser-floor.ts'
import { person } from '../support/people.ts'
import { codeOf, withAuthenticator } from '../support/totp.ts'

const i18n = await loadI18n('en', [], ['account', 'consent', 'links', 'secondFactor'])
const { t } = i18n

let app: TestApp
let browser: Browser
let oldBrowser: Browser
beforeAll(async () => {
  app = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  browser = await launchBrowser()
  oldBrowser = Object.assign(Object.create(browser), {
    newContext: async (options: Parameters<Browser['newContext']>[0]) => {
      const context = await browser.newContext(options)
      await context.addInitScript(removeNames, youngerNames)
      return context
    },
  })
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

test('the oldest supported browser signs up on the way to an application and consents', async () => {
  const application = await register(app, { uri: 'https://shop.example/about', redirectUris: [`${app.url}/ok`] })
  const ann = await person(app, oldBrowser, i18n, authorizePath(application, { redirect_uri: `${app.url}/ok` }))
  expect(await ann.page.evaluate(`[typeof URL.parse, typeof Map.groupBy, typeof Set.prototype.union, typeof URL]`)).toEqual([
    ...Array.from({ length: 3 }, () => 'undefined'),
    'function',
  ])
  await ann.sees(t('signIn.title'))
  await ann.reads('shop.example')
  await ann.follows(t('signIn.signUp'))
  await ann.sees(t('signUp.title'))
  await ann.fills({ [t('field.name')]: 'Ann', [t('field.email')]: 'ann@example.com', [t('field.password')]: password })
  await ann.presses(t('signUp.submit'))
  await ann.sees(t('consent.title', { client: 'Shop' }))
  await ann.presses(t('consent.allow'))
  await ann.page.waitForURL(/\/ok\?code=/)
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})

test('the oldest supported browser signs in with password and second factor and opens every page of the account', async () => {
  const { totpURI } = await withAuthenticator(app, 'bob@example.com')
  const bob = await person(app, oldBrowser, i18n)
  await bob.fills({ [t('field.email')]: 'bob@example.com', [t('field.password')]: password })
  await bob.presses(t('signIn.submit'))
  await bob.sees(t('step.title'))
  await bob.page.getByLabel(t('code.label'), { exact: true }).fill(codeOf(totpURI, 1))
  await bob.sees(t('account.title'))
  const paths = await bob.page.evaluate<string[]>(
    `[...document.querySelectorAll('nav a[href^="/account/"]')].map(({ pathname }) => pathname)`,
  )
  expect(paths.length).toBeGreaterThan(4)
  for (const path of new Set(paths)) {
    await bob.open(path)
    await bob.page.getByRole('heading', { level: 1 }).waitFor()
    await bob.page.waitForLoadState('networkidle')
    expect(await bob.page.getByText(t('load.title')).count(), path).toBe(0)
  }
  expect(bob.problems()).toEqual([])
  await bob.leaves()
})

test('a script error is reported without personal data, counted, and named by doctor', async () => {
  const eve = await person(app, browser, i18n)
  // As in a browser that lacks a function: reading the form throws.
  await eve.page.evaluate(
    `FormData = class { constructor() { throw new TypeError('no "secret words" of eve@example.com here') } }`,
  )
  const reported = eve.page.waitForResponse('**/hosted/page-error')
  await eve.presses(t('signIn.submit'))
  expect((await reported).status()).toBe(200)
  expect((await reported).request().postDataJSON()).toMatchObject({
    page: '/sign-in',
    name: 'TypeError',
    source: expect.stringMatching(/^\/assets\/[\w.-]+\.js:\d+:\d+/),
  })
  await eve.leaves()
})
