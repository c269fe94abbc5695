/** Pages that the server renders completely: what works before their code is loaded, and how the code takes over. */
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import deTexts from '../../admin-ui/locales/pages/de.json' with { type: 'json' }
import frTexts from '../../admin-ui/locales/pages/fr.json' with { type: 'json' }
import { password, type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../support/browser.ts'

const { pages: de } = deTexts
const { pages: fr } = frTexts

let t: TestApp
let browser: Browser
beforeAll(async () => {
  const keys = { clientId: 'id', clientSecret: 'secret' }
  const providers = ['github', 'gitlab', 'discord', 'spotify', 'reddit']
  t = await testApp({ config: { social: Object.fromEntries(providers.map((id) => [id, keys])) } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await t?.stop()
})

/** A sign-in page that has nothing left to load, and the posts that it sends. */
const opened = async (path: string, options: BrowserContextOptions = {}) => {
  const context = await browser.newContext({ locale: 'de', ...options })
  const page = await context.newPage()
  const posted: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posted.push(new URL(request.url()).pathname)
  })
  await page.goto(t.url + path, { waitUntil: 'networkidle' })
  return { page, posted }
}
const fillIn = async (page: Page, email: string) => {
  await page.getByLabel(de['field.email'], { exact: true }).fill(email)
  await page.getByLabel(de['field.password'], { exact: true }).fill(password)
}
/** Waits until the code is loaded. It redraws the page only when no field is in use. */
const hasCode = (page: Page) => page.waitForLoadState('networkidle')

test('a server-rendered page has no accessibility fault, and loads its script only once somebody uses the page', async () => {
  for (const path of ['/sign-in', '/sign-up', '/forgot-password']) {
    const { page } = await opened(path)
    expect(await page.locator('.early').count(), path).toBe(1)
    expect(await accessibilityFaults(page), path).toEqual([])
    await page.mouse.move(50, 50)
    await page.mouse.move(60, 60)
    await page.locator('.early').waitFor({ state: 'detached' })
    await page.context().close()
  }
})

test('the script does not redraw a form that is in use, and sends the form once', async () => {
  const email = `eve.${randomUUID()}@example.com`
  await t.signedIn(email)
  const { page, posted } = await opened('/sign-in')
  await fillIn(page, email)
  await hasCode(page)
  expect(await page.locator('.early').count()).toBe(1)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/account**')
  expect(posted.filter((path) => path.startsWith('/sign-in'))).toEqual(['/sign-in/email'])
  await page.context().close()
})

test('a button pressed before its script was loaded takes effect once the script is there', async () => {
  const { page } = await opened('/sign-in')
  await page.getByRole('button', { name: de['field.showPassword'] }).click()
  await page.locator('.early').waitFor({ state: 'detached' })
  await page.locator('input[name=password][type=text]').waitFor()
  await page.context().close()
})

test('a language chosen before the script was loaded takes effect once the script is there, and stays chosen', async () => {
  const { page } = await opened('/sign-in')
  await page.getByLabel(de['common.language']).selectOption('fr')
  await page.getByRole('heading', { name: fr['signIn.title'], exact: true }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: fr['signIn.title'], exact: true }).waitFor()
  await page.context().close()
})

test('links of a server-rendered page keep the destination of the person', async () => {
  const { page } = await opened('/sign-in?callbackURL=%2Faccount%2Fdevices')
  for (const name of [de['signIn.forgot'], de['signIn.signUp']])
    expect(await page.getByRole('link', { name, exact: true }).getAttribute('href')).toContain('callbackURL=%2Faccount%2Fdevices')
  await page.context().close()
})

test('a person without JavaScript can see all providers and continue to a provider', async () => {
  const { page } = await opened('/sign-in', { javaScriptEnabled: false })
  await page.context().route('https://www.reddit.com/**', (route) => route.fulfill({ body: 'the provider' }))
  await page.getByText(de['social.more'], { exact: true }).click()
  await page.getByRole('button', { name: de['social.continueWith'].replace('{provider}', 'Reddit'), exact: true }).click()
  await page.waitForURL('https://www.reddit.com/**')
  await page.context().close()
})

test('a person without JavaScript creates an account, and errors are shown at their fields', async () => {
  const email = `eve.${randomUUID()}@example.com`
  const { page } = await opened('/sign-up', { javaScriptEnabled: false })
  await page.getByLabel(de['field.name'], { exact: true }).fill('Eve')
  await page.getByLabel(de['field.email'], { exact: true }).fill(email)
  await page.getByLabel(de['field.password'], { exact: true }).fill('short')
  const send = () => page.getByRole('button', { name: de['signUp.submit'], exact: true }).click()
  await send()
  await page.getByText(de['problem.passwordShort']).waitFor()
  expect(await page.getByLabel(de['field.name'], { exact: true }).inputValue()).toBe('Eve')
  await page.getByLabel(de['field.password'], { exact: true }).fill(password)
  await send()
  await page.waitForURL('**/account')
  await page.context().close()
})

test('a server-rendered page marks the provider that the browser used last, and shows this provider among the first', async () => {
  const { page } = await opened('/sign-in')
  await page.evaluate("localStorage.setItem('gatehouse.last-provider', 'reddit')")
  await page.reload({ waitUntil: 'networkidle' })
  expect(await page.locator('.early').count()).toBe(1)
  const button = page.getByRole('button', { name: `Reddit ${de['social.lastUsed']}`, exact: true })
  expect(await button.isVisible()).toBe(true)
  await page.context().close()
})

test('a person without JavaScript enters the email address, then the password, and reaches the requested page', async () => {
  const email = `eve.${randomUUID()}@example.com`
  const first = await testApp({ config: { accounts: { addressFirst: true } } })
  await first.signedIn(email)
  for (const javaScriptEnabled of [false, true]) {
    const context = await browser.newContext({ locale: 'de', javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(`${first.url}/sign-in?callbackURL=%2Faccount%2Fdevices`)
    expect(await page.getByLabel(de['field.password'], { exact: true }).count()).toBe(0)
    await page.getByLabel(de['field.email'], { exact: true }).fill(email)
    await page.getByRole('button', { name: de['common.continue'], exact: true }).click()
    await page.getByLabel(de['field.password'], { exact: true }).fill(password)
    expect(await page.getByLabel(de['field.email'], { exact: true }).inputValue()).toBe(email)
    await page.getByRole('button', { name: de['signIn.submit'], exact: true }).click()
    await page.waitForURL('**/account/devices', { waitUntil: 'commit' })
    await context.close()
  }
  await first.stop()
})

test('without passwords the server-rendered page of providers has no accessibility fault, and leads to a provider', async () => {
  const social = { github: { clientId: 'id', clientSecret: 'secret' } }
  const other = await testApp({
    config: { social, accounts: { emailPasswordEnabled: false }, mailSignIn: { enabled: true } },
  })
  for (const javaScriptEnabled of [false, true]) {
    const context = await browser.newContext({ locale: 'de', javaScriptEnabled })
    const page = await context.newPage()
    await context.route('https://github.com/**', (route) => route.fulfill({ body: 'the provider' }))
    await page.goto(`${other.url}/sign-in`, { waitUntil: 'networkidle' })
    if (javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([])
    const name = de['social.continueWith'].replace('{provider}', 'GitHub')
    await page.getByRole('button', { name, exact: true }).click()
    await page.waitForURL('https://github.com/**')
    await context.close()
  }
  await other.stop()
})

test('a person without JavaScript requests a mail and signs in with the code of the mail', async () => {
  const email = `eve.${randomUUID()}@example.com`
  const other = await testApp({ config: { mailSignIn: { enabled: true } } })
  await other.signedIn(email)
  const context = await browser.newContext({ locale: 'de', javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${other.url}/sign-in`)
  await page.getByRole('link', { name: de['signIn.byMail'], exact: true }).click()
  await page.getByLabel(de['field.email'], { exact: true }).fill(email)
  await page.getByRole('button', { name: deTexts.secondFactor['byMail.submit'], exact: true }).click()
  await page.getByText(email).waitFor()
  const code = /\b\d{6}\b/.exec((await other.mailTo(email, 'sign-in')).raw)?.[0] ?? ''
  await page.getByLabel(deTexts.secondFactor['code.label'], { exact: true }).fill(code)
  await page.getByRole('button', { name: de['signIn.submit'], exact: true }).click()
  await page.waitForURL('**/account')
  await context.close()
  await other.stop()
})
