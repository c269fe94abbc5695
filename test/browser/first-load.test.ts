import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { drawnByScript, launchBrowser } from '../support/browser.ts'

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

/** A slow line, and a processor with a quarter of this machine's speed. */
const slowLine = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const slowdown = 4

const open = async (locale: string, acceptEncoding: string, isSlow = true) => {
  const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  if (isSlow) {
    await line.send('Network.emulateNetworkConditions', slowLine)
    await line.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  }
  await line.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': acceptEncoding } })
  return { context, page, line }
}

/**
 * Loads the sign-in page with an empty cache: first what the page loads by itself, then also what it loads once somebody uses it. Times
 * are in milliseconds of the page: when the first content is painted, when the form accepts text, and when its code has run.
 */
const load = async (locale: string, acceptEncoding: string, isSlow: boolean) => {
  const { context, page, line } = await open(locale, acceptEncoding, isSlow)
  const loaded: string[] = []
  let bytes = 0
  line.on('Network.responseReceived', ({ response }) => loaded.push(new URL(response.url).pathname))
  line.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  const now = () => page.evaluate<number>('Math.round(performance.now())')
  await page.goto(`${app.url}/sign-in`, { waitUntil: 'commit' })
  await page.locator('input[type=password]').waitFor()
  const form = await now()
  await page.locator('.social-buttons').first().waitFor()
  const works = await now()
  await page.waitForLoadState('networkidle')
  const paint = await page.evaluate<number>(
    "Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)",
  )
  const first = { paint, form, works, requests: loaded.length, bytes, loaded: [...loaded] }
  const since = await now()
  await drawnByScript(page)
  const drawn = (await now()) - since
  await page.waitForLoadState('networkidle')
  await context.close()
  return { first, used: { drawn, requests: loaded.length, bytes, loaded } }
}

/** Returns the earliest time at which the form can be submitted, in milliseconds of the page. */
const submit = async (): Promise<number> => {
  const { context, page } = await open('de', 'gzip, br')
  await page.goto(`${app.url}/sign-in`, { waitUntil: 'commit' })
  await page.locator('form [type=submit]').first().waitFor()
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

const report = ({ loaded: _, ...measured }: { readonly loaded: readonly string[] }) => JSON.stringify(measured)

test('the sign-in page with a brand and five providers loads few requests and bytes on a slow line, including code that loads later', async () => {
  const most = { gzip: { first: 22_000, used: 114_000 }, 'gzip, br': { first: 20_500, used: 100_500 } }
  for (const [acceptEncoding, bytes] of Object.entries(most)) {
    // Bytes and requests do not depend on the speed of the line, so one encoding is enough to measure times.
    const isSlow = acceptEncoding !== 'gzip'
    const { first, used } = await load('de', acceptEncoding, isSlow)
    const place = `/sign-in${isSlow ? ` at 400 ms and 50 kB/s, CPU ${slowdown} times slower` : ''}, ${acceptEncoding}`
    console.info(`${place}: ${report(first)}, with all code: ${report(used)}`)
    expect.soft(first.bytes, first.loaded.join('\n')).toBeLessThan(bytes.first)
    expect.soft(first.loaded.length, first.loaded.join('\n')).toBeLessThanOrEqual(5)
    expect.soft(used.bytes, used.loaded.join('\n')).toBeLessThan(bytes.used)
    expect.soft(used.loaded.length, used.loaded.join('\n')).toBeLessThanOrEqual(10)
  }
})

test('the sign-in form can be submitted within 2.5 seconds on a slow line and a slow processor', async () => {
  const sent = await submit()
  console.info(`/sign-in at 400 ms and 50 kB/s, CPU ${slowdown} times slower: sent after ${sent} ms`)
  expect(sent).toBeLessThan(2_500)
})
