/** The preview of the brand where the sign-in page acts by itself: it redirects to the only provider, and offers passkeys. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { launchBrowser } from '../../support/browser.ts'
import { person } from '../../support/people.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { outbound } from '../../support/social/listen.ts'

const i18n = await loadI18n('en', [], ['account', 'console', 'consoleWays'])
const { t } = i18n

let app: TestApp
let browser: Browser
let provider: FakeProvider
beforeAll(async () => {
  provider = await startProvider()
  provider.state.profile = { sub: 'ada-1', name: 'Ada Admin', email: 'ada@example.com' }
  app = await testApp({
    config: {
      ...{ oidc: { rsaModulusLength: 2048 }, outbound },
      accounts: { emailPasswordEnabled: false, signUpEnabled: true },
      passkeys: { enabled: true },
      social: { acme: { clientId: 'client-1', clientSecret: 'secret', name: 'Acme', ...provider.endpoints }, autoRedirect: true },
    },
  })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await provider?.stop()
})

test('the preview of the sign-in page neither navigates nor starts a sign-in, even with an automatic redirect to a provider and with passkeys', async () => {
  const ada = await person(app, browser, i18n)
  await ada.sees(t('account.title'))
  await app.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
  // A new tab is needed, because the sign-in page redirects to the provider only once per tab.
  const page = await ada.page.context().newPage()
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' || pathname.startsWith('/passkey') || request.url().startsWith(provider.url))
      calls.push(pathname)
  })
  await page.goto(`${app.url}/admin/brand`)
  for (const theme of ['light', 'dark'] as const) {
    const frame = page.frameLocator(`iframe[title="${t('ways.preview.signIn')}, ${t(`ways.theme.${theme}`)}"]`)
    await frame.locator('.social-buttons button', { hasText: 'Acme' }).waitFor()
    // Pages show the passkey button only in browsers that support passkeys, and the preview does the same.
    await frame.getByText(t('signIn.passkey')).waitFor()
  }
  // The typed color is drawn after everything that the page does when it opens.
  await page.getByLabel(t('ways.brandName'), { exact: true }).fill('Northwind')
  await page
    .frameLocator(`iframe[title="${t('ways.preview.signIn')}, ${t('ways.theme.light')}"]`)
    .getByText('Northwind')
    .first()
    .waitFor()
  expect(new URL(page.url()).pathname).toBe('/admin/brand')
  expect(calls).toEqual([])
  expect(await page.evaluate('sessionStorage.getItem("gatehouse.provider-redirect")')).toBe(null)
  await ada.leaves()
})

test('the dark preview shows the dark logo and the light preview the light logo, whatever the system prefers', async () => {
  const { page } = await person(app, browser, i18n)
  await page.waitForURL('**/account')
  await page.route('**/hosted/settings', async (route) => {
    const response = await route.fetch()
    const settings = await response.json()
    await route.fulfill({
      response,
      json: { ...settings, brand: { ...settings.brand, logo: '/light.svg', logoDark: '/dark.svg' } },
    })
  })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${app.url}/admin/brand`)
    for (const theme of ['light', 'dark'] as const) {
      const frame = page.frameLocator(`iframe[title="${t('ways.preview.signIn')}, ${t(`ways.theme.${theme}`)}"]`)
      const logo = frame.locator('.wordmark img')
      await expect.poll(() => logo.getAttribute('src')).toBe(`/${theme}.svg`)
      expect(await frame.locator('.wordmark source').count()).toBe(0)
    }
  }
  await page.context().close()
})
