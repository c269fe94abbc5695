/** From the set-up link of an empty instance to the first sign-in of an application, without a terminal. */
import { expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password } from '../../support/app.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, withConsole, withUsers } from '../../support/console.ts'
import { canBeFollowed, passesTimeUntil } from '../../support/followed-page.ts'
import { person } from '../../support/people.ts'

const { t } = consoleTexts
const hosted = await loadI18n('en', [], ['links', 'userNames', 'console', 'consoleOverview'])

const house = withConsole()

test('the set-up ends in the console, and the console shows the next steps', async () => {
  const { url } = await house.app.app.setup.createSetupLink(systemPrincipal('test'))
  const { pathname, search } = new URL(url)
  const admin = await person(house.app, house.browser, hosted, pathname + search)
  const { page } = admin
  await admin.sees(hosted.t('setup.title'))
  await admin.fills({
    [hosted.t('field.name')]: 'Ada Admin',
    [hosted.t('field.email')]: 'ada@example.com',
    [hosted.t('field.password')]: password,
  })
  await admin.presses(hosted.t('setup.submit'))
  await page.waitForURL('**/admin/overview')
  const steps = page.getByRole('region', { name: t('overview.steps', { site: 'gatehouse' }) })
  await steps.waitFor()
  await steps.getByText(t('overview.stepsDone', { done: 0, count: 7 })).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'set-up')
  // A dismissed step disappears for all administrators, and can be restored.
  const title = t('overview.step.backup')
  await steps.getByRole('button', { name: t('overview.step.dismissOf', { step: title }) }).click()
  await steps.getByText(t('overview.stepsDone', { done: 0, count: 6 })).waitFor()
  await steps.getByRole('button', { name: t('overview.step.showDismissed', { count: 1 }) }).click()
  await steps.getByRole('button', { name: t('overview.step.wantOf', { step: title }) }).click()
  await steps.getByText(t('overview.stepsDone', { done: 0, count: 7 })).waitFor()
  await steps.getByRole('link', { name: t('overview.step.applicationDo') }).click()
  await page.waitForURL('**/admin/clients/~new')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('without the permission to change settings set-up steps have no buttons, and without the permission to read settings they are hidden', async () => {
  await withUsers(house.app, {
    'auditor@example.com': { name: 'Otto Auditor', role: 'auditor' },
    'support@example.com': { name: 'Sam Support', role: 'support' },
  })
  const auditor = await house.arrives('auditor@example.com', '/admin/overview')
  const steps = auditor.page.getByRole('region', { name: t('overview.steps', { site: 'gatehouse' }) })
  await steps.waitFor()
  expect(await steps.getByRole('button').count()).toBe(0)
  expect(await steps.getByRole('link', { name: t('overview.step.applicationDo') }).count()).toBe(0)
  await auditor.leaves()
  const support = await house.arrives('support@example.com', '/admin/overview')
  await support.page.waitForLoadState('networkidle')
  expect(await support.page.getByText(t('overview.step.application')).count()).toBe(0)
  await support.leaves()
})

test('console addresses that people guess lead to the form or list that they mean', async () => {
  const admin = await house.arrives('ada@example.com', '/admin/clients/new')
  await admin.page.waitForURL('**/admin/clients/~new')
  for (const [guess, path] of [
    ['/admin/applications/new', '/admin/clients/~new'],
    ['/admin/users/new', '/admin/users**'],
    ['/admin/organizations/new', '/admin/organizations/~new'],
  ] as const) {
    await admin.open(guess)
    await admin.page.waitForURL(`**${path}`)
  }
  await admin.leaves()
})

test('a finding links to the screen that fixes it instead of naming a command', async () => {
  const admin = await house.arrives('ada@example.com', '/admin/overview')
  const { page } = admin
  await page.getByRole('link', { name: t('console.remedy.backup') }).click()
  await page.waitForURL('**/admin/backups')
  await admin.open('/admin/overview')
  await page.getByText(t('findings.backup-missing'), { exact: true }).waitFor()
  expect(await page.locator('main').getByText('gatehouse backup').count()).toBe(0)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('Back returns to the previous position in a list, and a new address starts at the top of the page', async () => {
  for (let index = 0; index < 40; index++) await house.app.signedIn(`person${index}@example.com`, `Person ${index}`)
  const admin = await house.arrives('ada@example.com', '/admin/users')
  const { page } = admin
  const last = page.getByRole('link', { name: /^Person \d+$/ }).last()
  await last.scrollIntoViewIfNeeded()
  const before = Number(await page.evaluate('scrollY'))
  expect(before).toBeGreaterThan(200)
  await last.click()
  await page.waitForURL(/\/admin\/users\/[^~?]/)
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  await page.goBack()
  await expect.poll(() => page.evaluate('scrollY')).toBe(before)
  await admin.leaves()
})

test('a read refused by a rate limit says how long to wait and is repeated by itself', async () => {
  const admin = await person(house.app, house.browser, consoleTexts, '/admin/overview', 'ada@example.com', canBeFollowed)
  const { page } = admin
  let refusals = 0
  await page.route('**/admin/users?**', async (route) => {
    if (route.request().resourceType() === 'document' || refusals > 0) return route.continue()
    refusals += 1
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': '2', 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'TOO_MANY_REQUESTS', message: 'Too many requests' }),
    })
  })
  await page.getByRole('link', { name: t('console.group.people') }).click()
  await page.getByText(/Too many requests\. The console continues in/).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await passesTimeUntil(page, () => page.getByRole('link', { name: 'Ada Admin' }).first().isVisible())
  expect(refusals).toBe(1)
  await admin.leaves()
})
