import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'

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

/** A phone on a slow line. */
const slowLine = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

/** Loads the sign-in page with nothing kept. Times are of the page, in milliseconds: when something is seen, can be typed into, and can be sent. */
const load = async (locale: string, acceptEncoding: string) => {
  const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', slowLine)
  await line.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': acceptEncoding } })
  const loaded: string[] = []
  let bytes = 0
  line.on('Network.responseReceived', ({ response }) => loaded.push(new URL(response.url).pathname))
  line.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(`${app.url}/sign-in`, { waitUntil: 'commit' })
  await page.locator('input[type=password]').waitFor()
  const form: unknown = await page.evaluate('Math.round(performance.now())')
  await page.locator('.early').waitFor({ state: 'detached' })
  const works: unknown = await page.evaluate('Math.round(performance.now())')
  await page.waitForLoadState('networkidle')
  const paint: unknown = await page.evaluate(
    "Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)",
  )
  await context.close()
  return { locale, acceptEncoding, paint, form, works, requests: loaded.length, bytes, loaded }
}

test('the sign-in page takes few requests and bytes on a slow line', async () => {
  const most = { gzip: 108_000, 'gzip, br': 95_000 }
  for (const [acceptEncoding, bytes] of Object.entries(most)) {
    const { loaded, ...measured } = await load('de', acceptEncoding)
    console.info(`/sign-in at 400 ms and 50 kB/s: ${JSON.stringify(measured)}`)
    expect(measured.bytes, loaded.join('\n')).toBeLessThan(bytes)
    expect(loaded.length, loaded.join('\n')).toBeLessThanOrEqual(9)
  }
})
