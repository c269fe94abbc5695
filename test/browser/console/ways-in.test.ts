/** Sign-in methods and policy, providers, languages and brand, for administrators who may see them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../../support/browser.ts'
import { arrives, pictures, withUsers } from '../../support/console.ts'
import { temporaryDirectory } from '../../support/directory.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { outbound } from '../../support/social/listen.ts'

const { t } = await loadI18n('en', [], ['console', 'consoleSettings', 'consoleWays', 'consoleMail'])

const texts = temporaryDirectory()

let app: TestApp
let browser: Browser
let provider: FakeProvider
beforeAll(async () => {
  provider = await startProvider()
  writeFileSync(join(texts, 'en.yaml'), 'pages:\n  signIn.title: Sign in\n')
  app = await testApp({
    config: {
      ...{ oidc: { rsaModulusLength: 2048 }, outbound },
      secondFactor: { requiredFor: ['admin'] },
      texts: { directory: texts },
      social: {
        acme: { clientId: 'client-1', clientSecret: 'a secret of acme', name: 'Acme', issuer: provider.url },
        github: { clientId: 'Iv1.0', clientSecret: 'a secret of github' },
      },
    },
  })
  await withUsers(app, {
    'admin@example.com': { name: 'Ada Admin', role: 'admin' },
    'auditor@example.com': { name: 'Abe Auditor', role: 'auditor' },
    'support@example.com': { name: 'Sue Support', role: 'support' },
  })
  const { knex } = app.app.core.db
  const now = new Date()
  const people: string[] = await knex('user').orderBy('email').limit(2).pluck('id')
  await knex('account').insert(
    people.map((id) => ({
      ...{ id: `acme-${id}`.slice(0, 32), account_id: id, provider_id: 'acme', user_id: id, created_at: now, updated_at: now },
    })),
  )
  const signIns = (daysAgo: number, amount: number) => ({
    ...{ day: new Date(now.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10), measure: 'provider_sign_ins' },
    ...{ key: 'acme', amount },
  })
  await knex('statistic').insert([signIns(1, 4), signIns(10, 3), signIns(40, 100)])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await provider?.stop()
})

const settingOf = (page: Page, key: string) => page.locator('details.setting').filter({ hasText: key }).first()

test('the screen of sign-in methods shows what applies, where each setting comes from and how to change it, and no secret', async () => {
  const admin = await arrives(app, browser, 'admin@example.com', '/admin/ways-in')
  const { page } = admin
  await page.getByRole('heading', { level: 1, name: t('console.screen.methods') }).waitFor()
  await admin.reads(t('ways.secondFor', { roles: 'admin' }))
  await admin.reads(t('ways.findings'))
  const length = settingOf(page, 'password.minLength')
  await length.locator('> summary').focus()
  await page.keyboard.press('Enter')
  await length.getByText(t('setting.elsewhere')).focus()
  await page.keyboard.press('Enter')
  expect(await length.getByRole('textbox', { name: t('ways.yaml') }).inputValue()).toBe('password:\n  minLength: 8')
  expect(await length.getByRole('textbox', { name: t('ways.variable') }).inputValue()).toBe('GATEHOUSE_PASSWORD_MIN_LENGTH=8')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'methods')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the page of a provider shows its callback address, and its test names the failing step and the remedy without a secret', async () => {
  const admin = await arrives(app, browser, 'admin@example.com', '/admin/providers')
  const { page } = admin
  await page.getByRole('link', { name: 'Acme' }).waitFor()
  // Accounts and sign-ins of thirty days. Older ones are not counted.
  const cells = (name: string) =>
    page
      .getByRole('row', { name: new RegExp(name) })
      .getByRole('cell')
      .allInnerTexts()
  await expect.poll(async () => (await cells('Acme')).slice(-6)).toContain('7')
  expect(await cells('Acme')).toEqual(expect.arrayContaining(['2', '7']))
  expect(await cells('GitHub')).toEqual(expect.arrayContaining(['0']))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'providers')
  await page.getByRole('link', { name: 'Acme' }).click()
  const callback = page.getByRole('textbox', { name: t('ways.callback'), exact: true })
  await callback.waitFor()
  expect(await callback.inputValue()).toBe(`${app.url}/callback/acme`)
  await admin.reads(t('ways.accountsCount', { count: 2 }))
  provider.state.tokenStatus = 401
  provider.state.tokenError = 'invalid_client'
  await page.getByRole('button', { name: t('ways.testNow') }).focus()
  await page.keyboard.press('Enter')
  await admin.reads(t('ways.testFailed'))
  await page
    .locator('.finding', { hasText: t('ways.step.token') })
    .getByText('social.acme.clientSecret')
    .waitFor()
  await page
    .locator('.finding', { hasText: t('ways.step.keys') })
    .getByText(t('ways.outcome.passed'))
    .waitFor()
  expect(await page.content()).not.toContain('a secret of')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'provider')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a brand preview shows name, colour and contrast at once, and stores nothing', async () => {
  const admin = await arrives(app, browser, 'admin@example.com', '/admin/brand')
  const { page } = admin
  const signIn = page.frameLocator(`iframe[title="${t('ways.preview.signIn')}, ${t('ways.theme.light')}"]`)
  await signIn.locator('button[type="submit"]').waitFor()
  await pictures(page, 'brand-default')
  await page.getByLabel(t('ways.brandName'), { exact: true }).focus()
  await page.keyboard.type('Northwind')
  await page.getByLabel(t('ways.brandColor'), { exact: true }).fill('#7a1f4d')
  await signIn.getByText('Northwind').first().waitFor()
  const styleIn = (theme: 'light' | 'dark', element: string, property: string) => {
    const frame = JSON.stringify(`iframe[title="${t('ways.preview.signIn')}, ${t(`ways.theme.${theme}`)}"]`)
    return page.evaluate(
      `getComputedStyle(document.querySelector(${frame}).contentDocument.querySelector('${element}')).${property}`,
    )
  }
  expect(await styleIn('light', 'button[type=submit]', 'backgroundColor')).toBe('rgb(122, 31, 77)')
  expect(await styleIn('dark', '.card', 'color')).not.toBe(await styleIn('light', '.card', 'color'))
  const figures = page.getByRole('row', { name: new RegExp(t('ways.contrast.button')) })
  expect(await figures.textContent()).toMatch(/\d\.\d : 1/)
  await page.getByRole('button', { name: t('setting.review') }).click()
  const dialog = page.getByRole('dialog')
  for (const text of ['brand.name', 'Northwind', 'brand.color', '#7a1f4d']) await dialog.getByText(text).waitFor()
  await dialog.getByRole('button', { name: t('console.confirm.cancel') }).click()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'brand')
  await page.getByRole('button', { name: t('ways.preview.consent') }).click()
  await page.getByRole('button', { name: t('ways.width.phone') }).click()
  const consent = page.frameLocator(`iframe[title="${t('ways.preview.consent')}, ${t('ways.theme.light')}"]`)
  await consent.getByText('app.example.com').first().waitFor()
  await pictures(page, 'brand-consent')
  await page.getByRole('button', { name: t('ways.preview.mail') }).click()
  const mail = page.frameLocator(`iframe[title="${t('ways.preview.mail')}, ${t('ways.theme.dark')}"]`)
  await mail.getByText('Northwind').first().waitFor()
  await pictures(page, 'brand-mail')
  expect(await page.title()).toContain(t('console.screen.brand'))
  await page.getByRole('button', { name: t('ways.preview.consent') }).click()
  await page.getByRole('button', { name: t('ways.brandReset') }).click()
  await consent.getByText('gatehouse').first().waitFor()
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the preview of a mail shows the mail as it would be sent, in a chosen language, with its text part', async () => {
  const support = await arrives(app, browser, 'support@example.com', '/admin/mails/templates?kind=new-device')
  const { page } = support
  const light = () => page.frameLocator(`iframe[title="new-device, ${t('mail.theme.light')}"]`)
  await light().locator('.facts td', { hasText: '203.0.113.9' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'templates')
  expect(await page.locator('.side-screen[aria-current="page"]').allTextContents()).toEqual([t('console.screen.templates')])
  await page.getByLabel(t('mail.language')).selectOption('de')
  await page.locator('pre[lang="de"]').getByText('Sue Support').waitFor()
  await light().locator('.facts th', { hasText: 'Gerät' }).waitFor()
  expect(support.problems()).toEqual([])
  await support.leaves()
})

test("each language lists the operator's texts that the language lacks", async () => {
  const admin = await arrives(app, browser, 'admin@example.com', '/admin/texts')
  const { page } = admin
  const german = page.locator('details.setting').filter({ hasText: 'Deutsch' })
  await german.getByText(t('ways.textsMissing', { count: 1 })).waitFor()
  await german.locator('summary').focus()
  await page.keyboard.press('Enter')
  await german.getByText('signIn.title').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'languages')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
