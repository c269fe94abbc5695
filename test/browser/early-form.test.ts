/** The sign-in form that the server writes, before the script of the page runs. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import deTexts from '../../admin-ui/locales/pages/de.json' with { type: 'json' }
import { authorizePath, register } from '../http/oidc/flow.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, holdsUp, launchBrowser } from '../support/browser.ts'

const { pages: de } = deTexts

let t: TestApp
let browser: Browser
beforeAll(async () => {
  t = await testApp()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await t?.stop()
})

/** A page whose scripts load when the test allows it. */
const held = async (path: string): Promise<{ page: Page; release: () => void }> => {
  const context = await browser.newContext({ locale: 'de' })
  const page = await context.newPage()
  let release = () => {}
  const arrival = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    await arrival
    await route.continue()
  })
  await page.goto(t.url + path, { waitUntil: 'commit' })
  return { page, release }
}

test('text typed before the script runs stays in the form, with the cursor in its place, and signs the person in', async () => {
  const email = 'ann@example.com'
  await t.signedIn(email)
  const { page, release } = await held('/sign-in')
  await page.getByLabel('E-Mail').fill(email)
  await page.getByLabel('Passwort', { exact: true }).pressSequentially(password.slice(0, 5))
  await page.getByLabel('Angemeldet bleiben').uncheck()
  await page.getByLabel('Passwort', { exact: true }).focus()
  await expect.poll(() => page.locator('.early').count()).toBe(1)
  release()
  await page.locator('.early').waitFor({ state: 'detached' })
  await page.keyboard.type(password.slice(5))
  expect(await page.getByLabel('E-Mail').inputValue()).toBe(email)
  expect(await page.getByLabel('Angemeldet bleiben').isChecked()).toBe(false)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/account**')
  expect((await page.context().cookies()).find(({ name }) => name.endsWith('gatehouse.session'))?.expires).toBe(-1)
  await page.context().close()
})

test('the server-rendered sign-in form is exactly where the script puts its own form', async () => {
  const { page, release } = await held('/sign-in')
  const button = page.getByRole('button', { name: 'Anmelden', exact: true })
  await page.getByLabel('Passwort', { exact: true }).fill('secret')
  const placeOf = async () => JSON.stringify([await page.getByLabel('E-Mail').boundingBox(), await button.boundingBox()])
  const before = await placeOf()
  release()
  await page.locator('.early').waitFor({ state: 'detached' })
  expect(await placeOf()).toBe(before)
  await page.context().close()
})

test('the sign-in form works before the script has loaded', async () => {
  const email = `eve.${randomUUID()}@example.com`
  await t.signedIn(email)
  const { page } = await held('/sign-in?callbackURL=%2Faccount%2Fdevices')
  await page.getByLabel('E-Mail').fill(email)
  await page.getByLabel('Passwort', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/account/devices', { waitUntil: 'commit' })
  await page.context().close()
})

test('a refused sign-in form shows the error before and after the script loads, keeps the email address, and signs in at the second try', async () => {
  const email = `eve.${randomUUID()}@example.com`
  await t.signedIn(email)
  const { page, release } = await held('/sign-in')
  await page.getByLabel('E-Mail').fill(email)
  await page.getByLabel('Passwort', { exact: true }).fill('not it at all')
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  const error = page.getByText(de['problem.wrongPassword'])
  await error.waitFor()
  expect(await page.locator('.early').count()).toBe(1)
  expect(await page.getByLabel('E-Mail').inputValue()).toBe(email)
  expect(await page.getByLabel('Passwort', { exact: true }).inputValue()).toBe('')
  expect(await accessibilityFaults(page)).toEqual([])
  release()
  await page.locator('.early').waitFor({ state: 'detached' })
  await error.waitFor()
  expect(await page.getByLabel('E-Mail').inputValue()).toBe(email)
  await page.getByLabel('Passwort', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/account')
  await page.context().close()
})

test('a person without JavaScript signs in to an application on another origin', async () => {
  const app = createServer((_request, response) => void response.end('<h1>the application</h1>'))
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
  const email = `eve.${randomUUID()}@example.com`
  await t.signedIn(email)
  const client = await register(t, { skipConsent: true, redirectUris: [address] })
  const context = await browser.newContext({ locale: 'de', javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(t.url + authorizePath(client, { redirect_uri: address }))
  await page.getByLabel('E-Mail').fill(email)
  await page.getByLabel('Passwort', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.waitForURL(`${address}?**`)
  expect(new URL(page.url()).searchParams.get('code')).not.toBeNull()
  await context.close()
  await new Promise((resolve) => app.close(resolve))
})

/**
 * Waits until the script listens to the form. The call that asks who is signed in is no sign of that: the browser starts it before the
 * script runs.
 */
const isWatched = async (page: Page) => {
  const devTools = await page.context().newCDPSession(page)
  const countListeners = async () => {
    const { result } = await devTools.send('Runtime.evaluate', { expression: "document.querySelector('.early form')" })
    if (result.objectId === undefined) return 0
    return (await devTools.send('DOMDebugger.getEventListeners', { objectId: result.objectId })).listeners.length
  }
  await expect.poll(countListeners).toBeGreaterThan(0)
}

/** A sign-in page whose script runs, but waits for the server before it draws its own form. The sent forms are recorded. */
const waiting = async () => {
  const context = await browser.newContext({ locale: 'de' })
  const page = await context.newPage()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
  })
  await holdsUp(page, '**/assets/de-*.js')
  await page.goto(`${t.url}/sign-in`, { waitUntil: 'commit' })
  await isWatched(page)
  return { page, sent, password: page.getByLabel('Passwort', { exact: true }) }
}

test('a form submitted while the script loads is sent once, and the script does not redraw the page over it', async () => {
  const email = `eve.${randomUUID()}@example.com`
  await t.signedIn(email)
  const { page, sent, password: field } = await waiting()
  await page.getByLabel('E-Mail').fill(email)
  await field.fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/account**')
  expect(sent.filter((path) => path.startsWith('/sign-in'))).toEqual(['/sign-in'])
  await page.context().close()
})
