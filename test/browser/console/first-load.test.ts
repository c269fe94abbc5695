import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { launchBrowser } from '../../support/browser.ts'

let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

test('the console loads with less than 250 kB of gzip, its first list included', async () => {
  const admin = await app.signedIn('admin@example.com')
  await app.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
  const context = await browser.newContext({ extraHTTPHeaders: { 'Accept-Encoding': 'gzip' } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: app.url })))
  const page = await context.newPage()
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  let bytes = 0
  line.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(`${app.url}/admin/users`)
  await page.getByRole('link', { name: 'Ann Example' }).first().waitFor()
  await page.waitForLoadState('networkidle')
  console.info(`/admin/users: ${bytes} bytes`)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(250_000)
  await context.close()
})
