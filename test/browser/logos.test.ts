import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { systemPrincipal } from '../../src/access/principal.ts'
import { authorizePath, register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../support/browser.ts'
import { imageOf, svgOf } from '../support/images.ts'
import { person } from '../support/people.ts'

const english = await loadI18n('en', [], ['account', 'secondFactor', 'organizations', 'consent'])
const { t } = english
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-logos-'))

let app: TestApp
let browser: Browser
beforeAll(async () => {
  const logo = join(directory, 'logo.svg')
  const shapes = '<circle cx="20" cy="20" r="18" fill="#0b1f4d"/><rect x="48" y="10" width="110" height="20" fill="#0b1f4d"/>'
  writeFileSync(logo, svgOf(shapes, 'viewBox="0 0 160 40"'))
  app = await testApp({ config: { brand: { name: 'Northwind', color: '#0b1f4d', logo } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  rmSync(directory, { recursive: true })
})

/** Directory for screenshots, when somebody wants to look at the pages. */
const pictures = process.env['GATEHOUSE_TEST_PICTURES']

test("an owner uploads an organization's logo, and people who sign in see the logo, web page and colour of the application", async () => {
  await app.signedIn('ann@example.com')
  const ann = await person(app, browser, english, '/account/organizations/new', 'ann@example.com')
  const { page } = ann
  const look = async (name: string) => {
    if (pictures === undefined) return
    for (const width of [390, 1440])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) })
      }
    await page.emulateMedia({ colorScheme: 'light' })
  }
  /** The images that are visible. */
  const shownLogos = (): Promise<unknown> =>
    page.evaluate(
      "[...document.querySelectorAll('.app-tile-logo')]" +
        '.filter((tile) => parseFloat(getComputedStyle(tile).paddingLeft) * 8 < tile.clientWidth).map((tile) => tile.naturalWidth)',
    )
  await ann.fills({ [t('field.name')]: 'Acme' })
  await ann.presses(t('org.create'))
  await page.waitForURL('**/account/organizations/acme**')
  await ann.open('/account/organizations/acme/settings')
  const choose = async (buffer: Buffer) => {
    const choosing = page.waitForEvent('filechooser')
    await ann.presses(t('org.logoChoose'))
    await (await choosing).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
  }
  await choose(Buffer.from('this is no picture at all'))
  await ann.reads(t('serverError.INVALID_IMAGE'))
  await choose(await imageOf({ width: 300, height: 200, color: '#c33' }))
  await ann.reads(t('org.logoSaved'))
  expect(await accessibilityFaults(page)).toEqual([])
  await look('settings')
  // Saving the other settings leaves the logo.
  await ann.fills({ [t('field.name')]: 'Acme Inc' })
  await ann.presses(t('common.save'))
  await ann.reads(t('common.saved'))
  await ann.open('/account/organizations')
  await ann.reads('Acme Inc')
  await expect.poll(shownLogos).toEqual([512])
  await look('list')

  const uri = 'https://shop.example.com/'
  const shop = await register(app, { name: 'Shop', color: '#b3261e', uri })
  const operator = systemPrincipal('test')
  await app.app.oidc.clientLogos.upload(
    operator,
    shop.clientId,
    svgOf('<circle cx="10" cy="10" r="9" fill="#b3261e"/>', 'viewBox="0 0 20 20"'),
  )
  await ann.open(authorizePath(shop, { prompt: 'login consent', scope: 'openid email organizations' }))
  await ann.sees(t('signIn.title'))
  await expect.poll(shownLogos).toEqual([512])
  const link = page.getByRole('link', { name: 'shop.example.com' })
  expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([uri, 'noopener noreferrer'])
  const accent: unknown = await page.evaluate(
    "getComputedStyle(document.documentElement).getPropertyValue('--accent-fill').trim()",
  )
  expect(accent).toBe('#b3261e')
  await look('sign-in')
  await ann.fills({ [t('field.password')]: 'correct horse battery' })
  await ann.presses(t('signIn.submit'))
  await page.waitForURL('**/consent**')
  await page.getByRole('button', { name: t('consent.allow') }).waitFor()
  expect(await page.locator('.sign-logo img').getAttribute('src')).toMatch(/^\/images\//)
  await page.getByLabel(t('consent.organization')).selectOption({ label: 'Acme Inc' })
  await expect.poll(shownLogos).toEqual([512, 512])
  expect(await accessibilityFaults(page)).toEqual([])
  await look('consent')
  expect(ann.problems()).toEqual([])

  await ann.open('/docs')
  await page.locator('.api-brand .logo').waitFor()
  expect(await page.locator('.api-brand .logo').getAttribute('alt')).toBe('Northwind')
  await look('docs')
  await ann.leaves()
})
