/** Protocol settings of an application in the console, and which sessions it was notified about. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeFor, redeem, register } from '../../http/oidc/flow.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../../support/browser.ts'
import { arrives as arrivesBy, consoleTexts, pictures } from '../../support/console.ts'

const { t } = consoleTexts

let app: TestApp
let browser: Browser
const server = createServer((_, res) => res.end())
let address: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`
  app = await testApp({ config: { outbound: { allowHttp: true, allow: ['127.0.0.1'] } } })
  browser = await launchBrowser()
  await app.signedIn('admin@example.com')
  await app.app.core.transact((tx) => tx.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' }))
})
afterAll(async () => {
  server.close()
  await browser?.close()
  await app?.stop()
})

const dialog = (page: Page) => page.getByRole('dialog').first()

test('an administrator sets a logout address and pairwise subjects, and sees the sessions about which the application was notified', async () => {
  const application = await register(app, { name: 'Portal', skipConsent: true })
  const admin = await arrivesBy(app, browser, 'admin@example.com', `/admin/clients/${application.clientId}`)
  const { page } = admin
  await admin.sees('Portal')
  await page.getByRole('button', { name: `${t('clients.edit')} ${t('clients.protocol')}`, exact: true }).click()
  await dialog(page).getByLabel(t('clients.backchannel')).fill(address)
  await dialog(page).getByLabel(t('clients.subjectType'), { exact: true }).selectOption('pairwise')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'protocol-dialog')
  await dialog(page)
    .getByRole('button', { name: t('console.form.save') })
    .click()
  await dialog(page).waitFor({ state: 'detached' })
  await admin.reads(t('clients.subjectType.pairwise'))
  await admin.reads(t('logouts.none'))
  const ann = await app.signedIn('ann@example.com', 'Ann Example')
  await redeem(app, application, await codeFor(ann, application))
  await ann.api.sessions.signOut()
  await expect
    .poll(async () => (await app.app.core.db.knex('logout_notice').select('state')).map(({ state }) => state), {
      timeout: 20_000,
    })
    .toEqual(['delivered'])
  await page.reload()
  await admin.reads(t('logouts.delivered'))
  await admin.reads('Ann Example')
  await pictures(page, 'protocol')
  expect(await accessibilityFaults(page)).toEqual([])
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the page of an application that authenticates with its own key shows no secret any more', async () => {
  const application = await register(app, { name: 'Reports', jwks: null })
  const admin = await arrivesBy(app, browser, 'admin@example.com', `/admin/clients/${application.clientId}`)
  const { page } = admin
  await admin.sees('Reports')
  await admin.reads(t('clients.secretNew'))
  await page.getByRole('button', { name: `${t('clients.edit')} ${t('clients.protocol')}`, exact: true }).click()
  await dialog(page).getByLabel(t('clients.authMethod'), { exact: true }).selectOption('private_key_jwt')
  await dialog(page)
    .getByRole('button', { name: t('console.form.save') })
    .click()
  // The server says what is missing when no keys are given.
  await admin.reads('needs jwks with a key that signs')
  await dialog(page).getByLabel(t('clients.jwksUri')).fill('https://reports.example.com/jwks.json')
  await dialog(page)
    .getByRole('button', { name: t('console.form.save') })
    .click()
  await dialog(page).waitFor({ state: 'detached' })
  await admin.reads('https://reports.example.com/jwks.json')
  expect(await page.getByRole('button', { name: t('clients.secretNew') }).count()).toBe(0)
  await admin.leaves()
})
