import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser, openPage } from '../support/browser.ts'

let t: TestApp
let browser: Browser
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await t?.stop()
})

test('a sign-out that an application asks for is asked about, and the answer of a real browser counts', async () => {
  const { client } = await t.app.oidc.clients.register({
    name: 'Shop <b>',
    type: 'web',
    redirectUris: ['https://rp.example/callback'],
  })
  const ann = await t.signedIn('ann@example.com')
  const { page, problems } = await openPage(browser, `${t.url}/ok`)
  await page.context().addCookies([...ann.cookies].map(([name, value]) => ({ name, value, url: t.url })))
  await page.goto(`${t.url}/oauth2/end-session?client_id=${client.clientId}`)
  await page.getByText('Shop <b> asks to sign you out').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  const button = page.getByRole('button', { name: 'Sign out', exact: true })
  // The style sheet is there, and the content policy lets everything through.
  expect(problems).toEqual([])
  const weight: string = await page.evaluate("getComputedStyle(document.querySelector('button')).fontWeight")
  expect(weight).toBe('600')
  await button.click()
  await page.waitForURL(`${t.url}/sign-in`)
  expect(await ann.api.sessions.getSession()).toBeNull()
})
