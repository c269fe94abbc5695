import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { codeFor, postForm, redeem, register, userinfo } from '../http/oidc/flow.ts'
import { signedInAs } from '../support/administrators.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Person, person } from '../support/people.ts'

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

// The pages here are read in another language than English, in which they are written.
const i18n = await loadI18n('de', [], ['account', 'consent'])
const { t } = i18n

describe('the applications in the account area', () => {
  const email = 'ann@example.com'
  const shop = 'Shop'
  const application = { application: shop }
  let ann: Person
  let token: unknown
  const remove = t('applications.removeName', application)
  beforeAll(async () => {
    await app.signedIn(email)
    ann = await person(app, browser, i18n, '/account', email)
    await ann.sees(t('account.title'))
  })
  afterAll(() => ann?.leaves())

  test('a person without a connected application reads what the page of connected applications lists', async () => {
    await ann.follows(t('account.applications'))
    await ann.reads(t('applications.none.text'))
    await ann.sees(t('account.applications'))
  })

  test("a person sees what each connected application may do, and the application's web page", async () => {
    const client = app.client()
    await client.post('/sign-in/email', { email, password })
    const one = await register(app, { name: shop, uri: 'https://shop.example' })
    token = (await redeem(app, one, await codeFor(client, one, { scope: 'openid email' }))).json['access_token']
    const own = await register(app, { name: 'Portal', skipConsent: true })
    await redeem(app, own, await codeFor(client, own))
    await ann.page.reload()
    const list = ann.page.getByRole('list', { name: t('applications.may', application) })
    await list.waitFor()
    expect(await list.getByRole('listitem').allTextContents()).toEqual([t('scope.openid'), t('scope.email')])
    await ann.reads(t('applications.trusted'))
    expect(await ann.page.getByRole('link', { name: 'shop.example' }).getAttribute('href')).toBe('https://shop.example')
    await ann.sees(t('account.applications'))
  })

  test("a person removes an application's access by keyboard, after a confirmation that Escape cancels", async () => {
    const button = ann.page.getByRole('button', { name: remove })
    const dialog = ann.page.getByRole('dialog', { name: t('applications.removeTitle', application) })
    await button.focus()
    await ann.page.keyboard.press('Enter')
    await dialog.waitFor()
    await ann.sees(t('account.applications'))
    await ann.page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect((await userinfo(app, token)).status).toBe(200)
    await ann.page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: t('applications.remove'), exact: true }).click()
    await ann.reads(t('applications.removed', application))
    expect((await userinfo(app, token)).status).toBe(401)
    await button.waitFor({ state: 'detached' })
    await ann.sees(t('account.applications'))
  })

  test("a person is told when an application's access ended after the page was loaded", async () => {
    const name = 'Portal'
    await app.app.core.db.knex('oidc_artifact').delete()
    await ann.presses(t('applications.removeName', { application: name }))
    await ann.page
      .getByRole('dialog')
      .getByRole('button', { name: t('applications.remove'), exact: true })
      .click()
    await ann.reads(t('serverError.CONSENT_NOT_FOUND'))
    await ann.reads(t('applications.none.title'))
    expect(ann.problems()).toEqual([])
  })
})

test('a person sees which application acts for them, through which other application and since when, and ends this access', async () => {
  const email = 'bob@example.com'
  const client = await app.signedIn(email)
  const admin = await signedInAs(app, 'admin')
  const [shop, cart] = [
    await register(app, { name: 'Shop' }),
    await register(app, { name: 'Cart', type: 'machine', redirectUris: [] }),
  ]
  const scopes = [{ name: 'read', description: 'Read' }]
  const [front, back] = ['https://front.example', 'https://back.example']
  await admin.api.apis.createApi({ body: { identifier: front, name: 'Front', scopes, clients: [{ clientId: shop.clientId }] } })
  await admin.api.apis.createApi({
    body: { identifier: back, name: 'Back', scopes, clients: [{ clientId: cart.clientId, exchangeFrom: [front] }] },
  })
  const subject = (await redeem(app, shop, await codeFor(client, shop, { scope: 'openid read', resource: front }))).json
  const type = 'urn:ietf:params:oauth:token-type:access_token'
  const exchange = () =>
    postForm(app, cart, '/oauth2/token', {
      ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token_type: type, resource: back },
      ...{ subject_token: String(subject['access_token']), scope: 'read' },
    })
  expect((await exchange()).status).toBe(200)
  const bob = await person(app, browser, i18n, '/account', email)
  await bob.sees(t('account.title'))
  await bob.follows(t('account.applications'))
  await bob.reads(t('applications.actsThrough', { applications: 'Shop' }))
  const row = bob.page.getByRole('listitem').filter({ hasText: t('applications.actsThrough', { applications: 'Shop' }) })
  const since = t('applications.since', { date: i18n.date(new Date().toISOString()) })
  expect(await row.getByText(since).count()).toBe(1)
  await bob.presses(t('applications.removeName', { application: 'Cart' }))
  const dialog = bob.page.getByRole('dialog')
  await dialog.getByText(t('applications.removeTextActs')).waitFor()
  await dialog.getByRole('button', { name: t('applications.remove'), exact: true }).click()
  await bob.reads(t('applications.removed', { application: 'Cart' }))
  expect((await exchange()).json['error']).toBe('invalid_request')
  expect(bob.problems()).toEqual([])
  await bob.leaves()
})
