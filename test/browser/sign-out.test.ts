import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../src/access/principal.ts'
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

test('a sign-out requested by an application asks the person, and a real browser can answer', async () => {
  const { client } = await t.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Shop <b>',
    type: 'web',
    redirectUris: ['https://rp.example/callback'],
  })
  const ann = await t.signedIn('ann@example.com')
  const { page, problems } = await openPage(browser, `${t.url}/ok`)
  await page.context().addCookies([...ann.cookies].map(([name, value]) => ({ name, value, url: t.url })))
  const asked = `${t.url}/oauth2/end-session?client_id=${client.clientId}`
  await page.goto(`${asked}&ui_locales=de`)
  await page.getByRole('heading', { name: 'Abmelden?' }).waitFor()
  await page.goto(asked)
  await page.getByText('Shop <b> asks to sign you out').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  const button = page.getByRole('button', { name: 'Sign out', exact: true })
  const address = page.url()
  await button.click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await ann.api.sessions.getSession()).toBeNull()
  expect(problems).toEqual([])
  // Another person who opens the same confirmation reads that it is not theirs.
  const eve = await t.signedIn('eve@example.com')
  await page.context().addCookies([...eve.cookies].map(([name, value]) => ({ name, value, url: t.url })))
  await page.goto(address)
  await page.getByRole('heading', { name: 'Request expired' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await eve.api.sessions.getSession()).not.toBeNull()
  // A signed-in person is not told that they are signed out, whatever the address says.
  await page.goto(`${t.url}/sign-out?done=1`)
  await page.getByRole('heading', { name: 'Request expired' }).waitFor()
})

test('the sign-in page of an application has a way back, and the application gets access_denied', async () => {
  const { client } = await t.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Shop',
    type: 'web',
    redirectUris: [`${t.url}/ok`],
  })
  const request = { client_id: client.clientId, response_type: 'code', scope: 'openid', redirect_uri: `${t.url}/ok`, state: 's' }
  const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }
  const { page, problems } = await openPage(browser, `${t.url}/oauth2/authorize?${new URLSearchParams({ ...request, ...pkce })}`)
  const cancel = page.getByRole('button', { name: 'Cancel' })
  await cancel.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await cancel.click()
  await page.waitForURL(/\/ok\?error=access_denied&.*state=s/)
  expect(problems).toEqual([])
})

test('a person chooses the account to continue with, or another account, by keyboard alone', async () => {
  const { client } = await t.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Shop',
    type: 'web',
    redirectUris: [`${t.url}/ok`],
    skipConsent: true,
  })
  const ann = await t.signedIn('chooser@example.com')
  const { page, problems } = await openPage(browser, `${t.url}/ok`)
  await page.context().addCookies([...ann.cookies].map(([name, value]) => ({ name, value, url: t.url })))
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  const ask = (prompt: string) =>
    page.goto(
      `${t.url}/oauth2/authorize?${new URLSearchParams({ client_id: client.clientId, response_type: 'code', scope: 'openid', prompt, redirect_uri: `${t.url}/ok`, code_challenge: challenge, code_challenge_method: 'S256' })}`,
    )
  const press = async (name: RegExp) => {
    const button = page.getByRole('button', { name })
    await button.waitFor()
    for (let i = 0; i < 8 && (await button.and(page.locator(':focus')).count()) === 0; i += 1) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
  }
  await ask('select_account')
  await page.getByRole('heading', { name: 'Choose an account' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await press(/chooser@example.com/)
  await page.waitForURL(/\/ok\?code=/)

  await ask('select_account')
  await press(/Use another account/)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByLabel('Email').inputValue()).toBe('')
  await ask('create')
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(problems).toEqual([])
})

test("the sign-in link of a hosted page leads to the operator's page if one is configured", async () => {
  const own = await t.node({ oidc: { rsaModulusLength: 2048, loginPage: '/ok?own=1' } })
  const { client } = await own.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Shop',
    type: 'web',
    redirectUris: [`${own.url}/ok`],
  })
  const { page } = await openPage(browser, `${own.url}/ok`)
  const request = { client_id: client.clientId, response_type: 'code', scope: 'openid', redirect_uri: `${own.url}/ok` }
  const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }
  await page.goto(`${own.url}/oauth2/authorize?${new URLSearchParams({ ...request, ...pkce })}`)
  const asked = page.url()
  expect(asked).toContain('/ok?own=1&')
  for (const [from, link] of [
    ['/sign-up', 'Sign in'],
    ['/forgot-password', 'Back to sign-in'],
  ] as const) {
    await page.goto(`${own.url}${from}?interaction=${new URL(asked).searchParams.get('interaction')}`)
    await page.getByRole('link', { name: link }).click()
    await page.waitForURL(asked)
  }
  await own.stop()
})
