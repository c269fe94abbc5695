import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'

let app: TestApp
let browser: Browser
beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-brand-'))
  const logo = join(directory, 'logo.svg')
  writeFileSync(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 36"><path d="M2 2h156v32H2z" fill="#0b1f4d"/></svg>',
  )
  const providers = ['google', 'github', 'microsoft', 'apple', 'gitlab']
  const keys = { clientId: 'id', clientSecret: 'secret' }
  app = await testApp({
    config: {
      brand: { name: 'Northwind', color: '#0b1f4d', logo },
      social: Object.fromEntries(providers.map((id) => [id, keys])),
    },
  })
  await app.signedIn('ann@example.com')
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

/** A phone on a slow line, with a quarter of this machine's speed. */
const slowLine = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const slowdown = 4

const open = async (locale: string, acceptEncoding: string) => {
  const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', slowLine)
  await line.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await line.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': acceptEncoding } })
  return { context, page, line }
}

/** Loads the sign-in page with nothing kept. Times are of the page, in milliseconds: when something is seen, can be typed into, and has its script. */
const load = async (locale: string, acceptEncoding: string) => {
  const { context, page, line } = await open(locale, acceptEncoding)
  const loaded: string[] = []
  let bytes = 0
  line.on('Network.responseReceived', ({ response }) => loaded.push(new URL(response.url).pathname))
  line.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(`${app.url}/sign-in`, { waitUntil: 'commit' })
  await page.locator('input[type=password]').waitFor()
  const form: unknown = await page.evaluate('Math.round(performance.now())')
  await page.locator('.social-buttons').waitFor()
  const works: unknown = await page.evaluate('Math.round(performance.now())')
  await page.waitForLoadState('networkidle')
  const paint: unknown = await page.evaluate(
    "Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)",
  )
  await context.close()
  return { locale, acceptEncoding, paint, form, works, requests: loaded.length, bytes, loaded }
}

/** When the form can be sent at the earliest, in milliseconds of the page. */
const submit = async (): Promise<number> => {
  const { context, page } = await open('de', 'gzip, br')
  await page.goto(`${app.url}/sign-in`, { waitUntil: 'commit' })
  await page.locator('form [type=submit]').waitFor()
  const sent = await page.evaluate<number>(`(() => {
    const form = document.querySelector('form')
    form.elements.email.value = 'ann@example.com'
    form.elements.password.value = ${JSON.stringify(password)}
    form.requestSubmit()
    return Math.round(performance.now())
  })()`)
  await page.waitForURL('**/account', { waitUntil: 'commit' })
  await context.close()
  return sent
}

test('the sign-in page with a brand and five providers takes few requests and bytes on a slow line', async () => {
  const most = { gzip: 109_500, 'gzip, br': 96_500 }
  for (const [acceptEncoding, bytes] of Object.entries(most)) {
    const { loaded, ...measured } = await load('de', acceptEncoding)
    console.info(`/sign-in at 400 ms and 50 kB/s, CPU ${slowdown} times slower: ${JSON.stringify(measured)}`)
    expect.soft(measured.bytes, loaded.join('\n')).toBeLessThan(bytes)
    expect.soft(loaded.length, loaded.join('\n')).toBeLessThanOrEqual(8)
  }
})

test('the sign-in form can be sent within 2.5 seconds on a slow line and a slow processor', async () => {
  const sent = await submit()
  console.info(`/sign-in at 400 ms and 50 kB/s, CPU ${slowdown} times slower: sent after ${sent} ms`)
  expect(sent).toBeLessThan(2_500)
})
