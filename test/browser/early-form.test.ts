/** The sign-in form that the server writes, before the script of the page runs. */
import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { holdsUp, launchBrowser } from '../support/browser.ts'

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

/** A page whose scripts arrive when the test lets them. */
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

test('what somebody types before the script runs is in the form of the page afterwards, with the cursor where it was, and signs them in', async () => {
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

test('the form sends nothing before the script runs, and stays where the page has the same', async () => {
  const { page, release } = await held('/sign-in')
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET' || request.isNavigationRequest()) sent.push(request.url())
  })
  const button = page.getByRole('button', { name: 'Anmelden', exact: true })
  await page.getByLabel('Passwort', { exact: true }).fill('secret')
  await page.keyboard.press('Enter')
  await button.click({ force: true })
  const placeOf = async () => JSON.stringify([await page.getByLabel('E-Mail').boundingBox(), await button.boundingBox()])
  const before = await placeOf()
  expect(sent).toEqual([])
  release()
  await page.locator('.early').waitFor({ state: 'detached' })
  expect(await placeOf()).toBe(before)
  await page.context().close()
})

/** Until the script listens to the form. The question who is signed in tells nothing: the browser asks it before the script runs. */
const isWatched = async (page: Page) => {
  const devTools = await page.context().newCDPSession(page)
  const countListeners = async () => {
    const { result } = await devTools.send('Runtime.evaluate', { expression: "document.querySelector('.early form')" })
    if (result.objectId === undefined) return 0
    return (await devTools.send('DOMDebugger.getEventListeners', { objectId: result.objectId })).listeners.length
  }
  await expect.poll(countListeners).toBeGreaterThan(0)
}

/** A sign-in page whose script runs, and waits for the server before it draws its own form; what it sends is noted. */
const waiting = async () => {
  const context = await browser.newContext({ locale: 'de' })
  const page = await context.newPage()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
  })
  const { release } = await holdsUp(page, '**/get-session')
  await page.goto(`${t.url}/sign-in`, { waitUntil: 'commit' })
  await isWatched(page)
  const isDrawn = async () => {
    release()
    await page.locator('.early').waitFor({ state: 'detached' })
    // What the page sends by itself, it sends in a turn before this one.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
  }
  return { page, sent, isDrawn, password: page.getByLabel('Passwort', { exact: true }) }
}

test('Enter before the page has its form signs in where the typing ends with it, and not in an input method, a checkbox or midway', async () => {
  const email = `eve.${randomUUID()}@example.com`
  await t.signedIn(email)
  const other = await waiting()
  await other.password.fill(password)
  await other.page.getByLabel('E-Mail').fill(email)
  await other.page.getByLabel('E-Mail').dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  await other.page.getByLabel('Angemeldet bleiben').press('Enter')
  await other.isDrawn()
  expect(other.sent).toEqual([])
  await other.page.context().close()

  const midway = await waiting()
  await midway.page.getByLabel('E-Mail').fill(email)
  await midway.password.pressSequentially(password.slice(0, 5))
  await midway.page.keyboard.press('Enter')
  await midway.page.keyboard.type(password.slice(5))
  await midway.isDrawn()
  expect(midway.sent).toEqual([])
  await midway.page.context().close()

  const last = await waiting()
  await last.page.getByLabel('E-Mail').fill(email)
  await last.password.fill(password)
  await last.page.keyboard.press('Enter')
  await last.isDrawn()
  await last.page.waitForURL('**/account**')
  await last.page.context().close()
})
