/** An administrator tries the sign-in to an application from its page. */
import { beforeAll, expect, test } from 'vitest'
import { register } from '../../http/oidc/flow.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, withConsole, withUsers } from '../../support/console.ts'
import { pressesByKeys } from '../../support/keys.ts'

const { t } = consoleTexts

const house = withConsole({}, { config: { oidc: { rsaModulusLength: 2048 } } })
beforeAll(async () => {
  await withUsers(house.app, { 'admin@example.com': { name: 'Grace Hopper', role: 'admin' } })
})

test('an administrator tests a sign-in from the page of an application, with consent, and sees the claims for the application', async () => {
  const { clientId } = await register(house.app, { scope: ['openid', 'profile', 'email'] })
  const admin = await house.arrives('admin@example.com', `/admin/clients/${clientId}`)
  const link = admin.page.getByRole('link', { name: t('clients.test') })
  await link.waitFor()
  expect(await link.getAttribute('target')).toBe('_blank')
  const [page] = await Promise.all([admin.page.context().waitForEvent('page'), link.click()])
  const start = page.getByRole('button', { name: t('clients.testStart') })
  await start.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'test-sign-in')
  await pressesByKeys(start)
  await page.waitForURL('**/consent**')
  await page.locator('button.button-primary').first().click()
  await page.getByText(t('clients.testDone')).waitFor()
  await page.getByText('admin@example.com').first().waitFor()
  // The page describes the sign-in and the meaning of each claim in words.
  for (const text of ['clients.amr.pwd', 'clients.acr.1fa', 'clients.means.auth_time', 'clients.means.email_verified'] as const)
    await page.getByText(t(text)).waitFor()
  const { pathname, search } = new URL(page.url())
  expect([pathname, search]).toEqual(['/admin/test-sign-in/callback', ''])
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'tested-sign-in')
  expect(await house.app.app.core.db.knex('oidc_artifact').whereIn('kind', ['AuthorizationCode', 'AccessToken'])).toEqual([])
  await page.reload()
  await page.getByText(t('clients.testOver')).waitFor()
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test("the result page of a test sign-in shows nothing for another administrator's code", async () => {
  const admin = await house.arrives('admin@example.com', '/admin/test-sign-in/callback?code=stolen&state=guessed')
  await admin.reads(t('clients.testLead'))
  await admin.page.locator('.notice-bad').waitFor()
  expect(new URL(admin.page.url()).search).toBe('')
  await admin.leaves()
})
