/** The pages on which a person authorizes a device (RFC 8628). */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser, openPage } from '../support/browser.ts'

let t: TestApp
let browser: Browser
let clientId: string
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  const { client } = await t.app.oidc.clients.register(systemPrincipal('test'), {
    ...{ name: 'Television', type: 'native', redirectUris: [], deviceFlow: true },
  })
  clientId = client.clientId
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await t?.stop()
})

const ask = async (path: string, form: Record<string, string>) => {
  const answer = await fetch(new URL(path, t.url), {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...form }),
  })
  return (await answer.json()) as Record<string, string>
}
const poll = (device = '') =>
  ask('/oauth2/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device })

test("a person types the device's code, compares the code, signs in, consents and returns to the device, by keyboard alone", async () => {
  await t.signedIn('ann@example.com')
  const { user_code: code = '', device_code: device } = await ask('/oauth2/device', { scope: 'openid email' })
  const { page, problems } = await openPage(browser, `${t.url}/device`)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  // The field for the code has the focus.
  await page.keyboard.type('bcdf')
  await page.keyboard.press('Enter')
  await page.getByText('The code has eight letters').waitFor()
  await page.getByLabel('Code').fill('')
  await page.keyboard.type(code.toLowerCase())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Continue with Television?' }).waitFor()
  await page.getByText(code).waitFor()
  await page.getByText('Only continue if you started this on your own device').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Continue' }).press('Enter')
  await page.getByLabel('Email').fill('ann@example.com')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Allow Television?' }).waitFor()
  await page.getByText('You will continue on your device').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Allow' }).press('Enter')
  await page.getByRole('heading', { name: 'Your device is connected' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await poll(device)).toMatchObject({ token_type: 'Bearer' })
  expect(problems).toEqual([])
})

test('a device link that contains the code asks only for a decision, and the device learns of a refusal', async () => {
  const { verification_uri_complete: address = '', device_code: device } = await ask('/oauth2/device', { scope: 'openid' })
  const { page, problems } = await openPage(browser, `${address}&ui_locales=de`)
  await page.getByRole('heading', { name: 'Mit Television fortfahren?' }).waitFor()
  await page.getByRole('button', { name: 'Ablehnen' }).click()
  await page.getByRole('heading', { name: 'Das Gerät wurde abgelehnt' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await poll(device)).toMatchObject({ error: 'access_denied' })
  await page.goto(address)
  await page.getByText('This code does not work').waitFor()
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
})
