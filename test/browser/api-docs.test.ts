import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser, type OpenPage, openPage, screenshot } from '../support/browser.ts'

let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const pictures = process.env['GATEHOUSE_TEST_PICTURES']
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }
const signIn = 'Sign in with email and password'

describe.each([
  ['phone', 'dark'],
  ['desktop', 'light'],
] as const)('the API reference on a %s in %s colours', (size, colorScheme) => {
  let opened: OpenPage
  beforeAll(async () => {
    opened = await openPage(browser, `${app.url}/docs`, { viewport: sizes[size], colorScheme, reducedMotion: 'reduce' })
  })
  afterAll(() => opened?.page.context().close())

  const sees = async (title: string) => {
    await opened.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    if (pictures !== undefined) await screenshot(opened.page, `${pictures}/${title.slice(0, 7)}-${size}-${colorScheme}.png`)
    expect(await accessibilityFaults(opened.page)).toEqual([])
    expect(await opened.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }

  test('the overview of the API reference lists the operations and has no accessibility fault', async () => {
    await sees('API reference')
    const { paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as { paths: Record<string, object> }
    const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
    await expect.poll(() => opened.page.getByRole('navigation', { name: 'Operations' }).locator('li').count()).toBe(count)
  })

  test('a search in the API reference finds an operation by its path, and the operation takes the focus', async () => {
    await opened.page.getByLabel('Search operations').fill('POST /sign-in/email')
    await opened.page.getByText(/^[1-9] of \d+ operations$/).waitFor()
    await opened.page.getByRole('link', { name: signIn }).press('Enter')
    await sees(signIn)
    expect(new URL(opened.page.url()).hash).toBe('#signInEmail')
    expect(await opened.page.evaluate('document.activeElement.tagName')).toBe('H1')
  })

  test('no page of the API reference reported an error or a policy violation', () => expect(opened.problems).toEqual([]))
})

test('the URL of an operation opens it with its fields, its example, its errors and the fields of the referenced schemas', async () => {
  const { page, problems } = await openPage(browser, `${app.url}/docs#signInEmail`)
  await page.getByRole('heading', { level: 1, name: signIn }).waitFor()
  expect(await page.title()).toBe(`${signIn} · gatehouse`)
  const row = page.getByRole('row', { name: /INVALID_EMAIL_OR_PASSWORD/ })
  expect(await row.getByRole('cell').first().textContent()).toBe('401')
  const user = page.getByText('Fields of user', { exact: true })
  await user.click()
  await page.locator('.api-more[open] .api-field-name', { hasText: 'emailVerified' }).waitFor()
  await page.getByText('Example of the request body').waitFor()
  expect(problems).toEqual([])
  await page.context().close()
})

test('the examples of the API reference can be copied', async () => {
  const { page } = await openPage(browser, `${app.url}/docs#signInEmail`, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('button', { name: 'Copy: curl' }).click()
  await page.getByText('curl copied').waitFor({ state: 'attached' })
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`curl -X POST '${app.url}/sign-in/email'`)
  await page.context().close()
})

test('the URL of an operation that does not exist says that there is no such operation', async () => {
  const { page } = await openPage(browser, `${app.url}/docs#nothing`)
  await page.getByRole('heading', { level: 1, name: 'No such operation' }).waitFor()
  await page.context().close()
})
