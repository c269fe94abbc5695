import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import deTexts from '../../admin-ui/locales/pages/de.json' with { type: 'json' }
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { systemPrincipal } from '../../src/access/principal.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'

const english = await loadI18n('en', [], ['account', 'consent', 'secondFactor', 'links'])
const { t } = english

let app: TestApp
let browser: Browser
let clientId: string
beforeAll(async () => {
  app = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  const { client } = await app.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Shop',
    type: 'web',
    redirectUris: ['https://rp.example/registered'],
  })
  clientId = client.clientId
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const wrong = () =>
  `/oauth2/authorize?${new URLSearchParams({ client_id: clientId, response_type: 'code', redirect_uri: 'https://rp.example/sent' })}`

test('the error page shows developers the request id, and shows registered redirect addresses only to administrators', async () => {
  const guest = await person(app, browser, english, wrong())
  await guest.sees(t('error.redirect.title'))
  await guest.page.getByText(t('developer.title')).click()
  await guest.reads('gatehouse explain-sign-in --request ')
  await expect.poll(() => guest.page.getByRole('button', { name: t('developer.copyRequest') }).count()).toBe(1)
  expect(await guest.page.getByText('https://rp.example/registered').count()).toBe(0)
  expect(await accessibilityFaults(guest.page)).toEqual([])

  await app.signedIn('user@example.com')
  const user = await person(app, browser, english, wrong(), 'user@example.com')
  await user.page.getByText(t('developer.title')).click()
  expect(await user.page.getByText('https://rp.example/registered').count()).toBe(0)

  await app.signedIn('root@example.com')
  await app.app.core.db.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin' })
  const admin = await person(app, browser, english, wrong(), 'root@example.com')
  await admin.reads('https://rp.example/registered')
  expect(await accessibilityFaults(admin.page)).toEqual([])
  for (const one of [guest, user, admin]) {
    expect(one.problems()).toEqual([])
    await one.leaves()
  }
})

test('an impersonating administrator reads on a page why the application does not sign in an impersonated person', async () => {
  const guest = await person(app, browser, english, '/error?error=impersonation_not_understood')
  await guest.sees(t('error.impersonation.title'))
  await guest.reads(t('error.impersonation.text'))
  expect(guest.problems()).toEqual([])
  await guest.leaves()
})

test('the error page shows no text from its own address except sentences of known codes and ids', async () => {
  const guest = await person(app, browser, english)
  const said = 'Your account is locked. Call 555 0100'
  for (const error of ['access_denied', said]) {
    const values = { error_description: said, request_id: said, client_id: said, redirect_uri: `https://rp.example/${said}` }
    const more = { response_type: said, scope: said, state: said }
    await guest.open(`/error?${new URLSearchParams({ error, ...values, ...more })}`)
    await guest.sees(t(error === said ? 'error.title' : 'error.denied.title'))
    const text = (await guest.page.locator('body').innerText()) + (await guest.page.title())
    for (const word of ['locked', '555', 'Call', 'rp.example']) expect(text).not.toContain(word)
    expect(await guest.page.locator('details, pre').count()).toBe(0)
  }
  await guest.open(`/error?${new URLSearchParams({ error: 'invalid_client', client_id: '$(reboot)', request_id: 'a; reboot' })}`)
  expect(await guest.page.getByText('reboot').count()).toBe(0)
  await guest.leaves()
})

test('a person beyond a rate limit sees how long to wait, on a page that loads nothing else, and continues from that page', async () => {
  const slow = await testApp({ config: { limits: { enabled: 'on', general: { max: 1, windowSeconds: 5 } } } })
  slow.clock.hold()
  const context = await browser.newContext({ locale: 'de' })
  const page = await context.newPage()
  // The script of the first page offers passkeys. Its calls do not count as requests of the second page.
  await page.goto(`${slow.url}/sign-in`, { waitUntil: 'networkidle' })
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  const answer = await page.goto(`${slow.url}/sign-in?callbackURL=%2Faccount`)
  expect(answer?.status()).toBe(429)
  await page.getByRole('heading', { level: 1, name: deTexts.server['tooMany.title'] }).waitFor()
  expect(loaded.filter((path) => path !== '/sign-in' && path !== '/favicon.ico')).toEqual([])
  expect(await accessibilityFaults(page)).toEqual([])
  slow.clock.advance({ seconds: 10 })
  await page.getByRole('link', { name: deTexts.server['tooMany.again'] }).click()
  await page.waitForURL('**/sign-in?callbackURL=%2Faccount')
  await context.close()
  await slow.stop()
}, 60_000)
