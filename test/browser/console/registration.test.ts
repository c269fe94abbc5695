/**
 * Applications that register themselves, in the console and at consent: initial access tokens, the origin of each registration, and the
 * decision of an administrator.
 */
import { beforeAll, expect, test } from 'vitest'
import { authorizePath } from '../../http/oidc/flow.ts'
import { registered, registers } from '../../http/oidc/registering.ts'
import { arrives as arrivesBy, consoleTexts, withConsole } from '../../support/console.ts'

const { t } = consoleTexts

const house = withConsole({}, { config: { oidc: { registration: 'open', rsaModulusLength: 2048 } } })
beforeAll(async () => {
  await house.app.signedIn('admin@example.com')
  await house.app.app.core.transact((tx) => tx.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' }))
})

const arrives = (path: string) => arrivesBy(house.app, house.browser, 'admin@example.com', path)

test('an administrator creates an initial access token, sees how often it was used, and revokes it', async () => {
  const admin = await arrives('/admin/initial-access-tokens')
  const { page } = admin
  await admin.sees(t('clients.tokens'))
  await page
    .getByRole('button', { name: t('clients.tokenNew') })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(t('clients.tokenName'), { exact: true }).fill('Build server')
  await dialog.getByLabel(t('clients.tokenHosts'), { exact: true }).fill('rp.example')
  await dialog.getByLabel(t('clients.tokenMax'), { exact: true }).fill('2')
  await dialog.getByRole('button', { name: t('clients.tokenNew') }).click()
  const shown = page.getByRole('textbox', { name: t('clients.registeredBy.initial-access-token'), exact: true })
  const value = await shown.inputValue()
  await page.getByRole('button', { name: t('clients.tokenClose') }).click()
  expect((await registers(house.app, { client_name: 'Built' }, value)).status).toBe(201)
  expect((await registers(house.app, { redirect_uris: ['https://other.example/'] }, value)).status).toBe(400)
  await page.reload()
  await page
    .getByText(t('clients.tokenUsedOf', { used: '1', max: '2' }))
    .first()
    .waitFor()
  expect(await page.content()).not.toContain(value)
  await page.getByText('Build server').first().click()
  await page.getByRole('button', { name: t('clients.tokenRevoke') }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('clients.tokenRevoke') })
    .click()
  await page.getByText(t('clients.tokenState.revoked')).first().waitFor()
  expect((await registers(house.app, {}, value)).status).toBe(401)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the console marks an application that registered itself, people see a warning, and an approval ends the warning', async () => {
  const client = await registered(house.app, { client_name: 'Agent', tos_uri: 'https://terms.example/agent' })
  const admin = await arrives('/admin/clients')
  const { page } = admin
  await page.getByText(t('clients.registeredBy.anonymous')).first().waitFor()
  await page.goto(`${house.app.url}/admin/clients/${client.clientId}`)
  await page.getByText(t('clients.unknownNotice')).waitFor()
  const consent = await page.context().newPage()
  const warning = consent.getByText('Nobody', { exact: false })
  await consent.goto(house.app.url + authorizePath(client))
  await consent.getByText('terms.example').waitFor()
  expect(await warning.count()).toBe(1)
  await page.getByRole('button', { name: t('clients.approve'), exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('clients.approve'), exact: true })
    .click()
  await page.getByText(t('clients.review.approved')).first().waitFor()
  await consent.goto(house.app.url + authorizePath(client))
  await consent.getByText('Agent').first().waitFor()
  expect([await warning.count(), await consent.getByText('terms.example').count()]).toEqual([0, 0])
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
