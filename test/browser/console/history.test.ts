/** The overview and the audit screens: what needs attention, who did what, why a sign-in failed, and whether the audit chain is complete. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../../support/browser.ts'
import { arrives as arrivesBy, consoleTexts, pictures } from '../../support/console.ts'
import { pressesByKeys, reaches } from '../../support/keys.ts'

const { t } = consoleTexts

let app: TestApp
let browser: Browser
let annId = ''
beforeAll(async () => {
  app = await testApp({
    config: { oidc: { rsaModulusLength: 2048 }, access: { roles: { helper: { permissions: ['users:read'] } } } },
  })
  browser = await launchBrowser()
  for (const email of [
    'admin@example.com',
    'auditor@example.com',
    'support@example.com',
    'helper@example.com',
    'ann@example.com',
  ])
    await app.signedIn(email)
  for (const role of ['admin', 'auditor', 'support', 'helper'])
    await app.app.core.transact((tx) =>
      tx
        .knex('user')
        .where({ email: `${role}@example.com` })
        .update({ role }),
    )
  const ann = await app.app.core.transact((tx) => tx.knex('user').where({ email: 'ann@example.com' }).first('id'))
  annId = ann.id
  await app.client().post('/sign-in/email', { email: 'ann@example.com', password: 'not her password' })
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const arrives = (role: string, path: string) => arrivesBy(app, browser, `${role}@example.com`, path)

/** Moves the focus by keys to the named element and presses it. This counts as one step of a journey. */
const follows = (page: Page, name: string) => pressesByKeys(page.getByRole('link', { name, exact: true }))

test('/admin shows what needs attention, and shows the remaining set-up steps until the first sign-in to an application', async () => {
  const admin = await arrives('admin', '/admin')
  await admin.page.waitForURL('**/admin/overview')
  await admin.sees(t('console.screen.overview'))
  await admin.page.getByRole('region', { name: t('overview.steps', { site: 'gatehouse' }) }).waitFor()
  // The auditor and the support person are colleagues of the administrator. No application exists yet, and mails are written to files.
  await admin.reads(t('overview.stepsDone', { done: 1, count: 7 }))
  await admin.page.getByRole('link', { name: t('overview.step.mailDo') }).waitFor()
  await admin.reads(t('overview.step.application'))
  expect(await accessibilityFaults(admin.page)).toEqual([])
  await pictures(admin.page, 'overview')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an administrator finds out by an email address why a sign-in failed, two steps from the first screen, by keyboard alone', async () => {
  const support = await arrives('support', '/admin/overview')
  const { page } = support
  await support.sees(t('console.screen.overview'))
  await follows(page, t('console.group.history'))
  await support.sees(t('history.events'))
  await follows(page, t('console.screen.explanation'))
  await support.sees(t('history.explanation'))
  await reaches(page.getByLabel(t('history.value'), { exact: true }))
  await page.keyboard.type('ann@example.com')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/sign-ins/explanation?email=ann%40example.com')
  await support.reads(t('history.outcome.can-sign-in'))
  await page
    .getByRole('region', { name: t('history.story') })
    .getByText(t('history.failed'), { exact: true })
    .first()
    .waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'explanation')
  await support.open('/admin/sign-ins/explanation?user=nobody')
  await support.reads(t('console.failure.title'))
  expect(await accessibilityFaults(page)).toEqual([])
  expect(support.problems()).toEqual([])
  await support.leaves()
})

test('the number of failed sign-ins links to their list, and the list is filtered, read and followed to the explanation by keyboard alone', async () => {
  for (const email of ['nobody@example.com', 'somebody@example.com'])
    await app.client().post('/sign-in/email', { email, password: 'not a password of anybody' })
  await app.app.tally.flush()
  const admin = await arrives('admin', '/admin/overview')
  const { page } = admin
  const chart = page.getByRole('region', { name: t('overview.chart.failures'), exact: true })
  await pressesByKeys(chart.getByRole('row', { name: new RegExp(t('reasons.unknown-address')) }).getByRole('link'))
  await page.waitForURL((url) => url.pathname === '/admin/sign-ins/failures')
  expect(new URL(page.url()).searchParams.get('reason')).toBe('unknown-address')
  await admin.sees(t('console.screen.failures'))
  const reasons = () => page.locator('tbody tr td:nth-child(2)').allInnerTexts()
  await expect.poll(reasons).toEqual([t('reasons.unknown-address'), t('reasons.unknown-address')])
  // The chosen days select the same rows as the exact times in the link.
  const chosen = page.getByLabel(t('history.since'), { exact: true })
  await chosen.fill(new Date(Date.now() - 86_400_000).toISOString().slice(0, 10))
  await page.keyboard.press('Enter')
  await page.waitForURL(/since=\d{4}-\d\d-\d\d(&|$)/)
  await expect.poll(reasons).toEqual([t('reasons.unknown-address'), t('reasons.unknown-address')])
  const reason = page.getByRole('combobox', { name: t('history.reason'), exact: true })
  await reaches(reason)
  expect(await reason.inputValue()).toBe('unknown-address')
  await reason.selectOption('wrong-password')
  await expect.poll(reasons).toEqual([t('reasons.wrong-password')])
  const method = page.getByRole('combobox', { name: t('history.method'), exact: true })
  await method.selectOption('passkey')
  await admin.reads(t('console.table.none'))
  expect(await accessibilityFaults(page)).toEqual([])
  await method.selectOption('password')
  await expect.poll(reasons).toEqual([t('reasons.wrong-password')])
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'failures')
  // The console also shows the shell command for the same explanation.
  await pressesByKeys(page.getByRole('button', { name: t('console.call.query'), exact: true }))
  const command = page.getByRole('textbox', { name: t('console.call.command') })
  expect(await command.inputValue()).toMatch(
    /^gatehouse list-failed-sign-ins --why wrong-password --method password --since \d{4}-\d\d-\d\d/,
  )
  await page.keyboard.press('Escape')
  await reaches(page.locator('h1'))
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const peek = page.getByRole('complementary', { name: t('console.peek.region') })
  await peek.getByText(t('reasons.wrong-password')).first().waitFor()
  // The remedy is a page of the console.
  await peek.locator(`a[href^="/admin/users/${annId}"]`).first().waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'failures-peek')
  await pressesByKeys(peek.getByRole('link', { name: t('console.screen.explanation'), exact: true }))
  await page.waitForURL(`**/admin/sign-ins/explanation?user=${annId}`)
  await admin.reads(t('history.outcome.can-sign-in'))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('two steps lead from the list of events to the actor, ids link to their screens, and the list is exported as CSV', async () => {
  const auditor = await arrives('auditor', `/admin/events?subject=${annId}`)
  const { page } = auditor
  await auditor.sees(t('history.events'))
  await reaches(page.getByLabel(t('history.type'), { exact: true }))
  await page.keyboard.type('user.*')
  await page.keyboard.press('Enter')
  await page.waitForURL('**type=user.*')
  // The earlier rows stay until the filtered ones have loaded.
  await expect.poll(() => page.locator('tbody tr td:nth-child(2)').allInnerTexts()).toEqual(['user.created'])
  await pictures(page, 'events')
  await reaches(page.locator('h1'))
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const peek = page.getByRole('complementary', { name: t('console.peek.region') })
  await peek.locator(`a[href="/admin/users/${annId}"]`).first().waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'events-peek')
  await reaches(page.locator('h1'))
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/admin\/events\/[^?]+$/)
  await page.getByRole('heading', { level: 1, name: /^user\./ }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await auditor.open('/admin/events?type=task.*')
  await auditor.reads(t('console.table.none'))
  await auditor.open('/admin/events/none')
  await auditor.sees(t('console.notFound.title'))
  expect(auditor.problems()).toEqual([])
  await auditor.leaves()
})

test('one press verifies the audit chain and names what does not match', async () => {
  const auditor = await arrives('auditor', '/admin/event-chain')
  const { page } = auditor
  await auditor.sees(t('history.verification'))
  await auditor.reads(t('history.notVerified'))
  await auditor.presses(t('history.verify'))
  await auditor.reads(t('history.intact'))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'verification')
  expect(auditor.problems()).toEqual([])
  await auditor.leaves()
})

test('without the permission the audit screens are not offered, and their addresses say who may read them', async () => {
  const helper = await arrives('helper', '/admin')
  await helper.page.waitForURL('**/admin/users')
  await helper.sees(t('people.users'))
  expect(await helper.page.getByRole('link', { name: t('console.group.history') }).count()).toBe(0)
  await helper.open('/admin/events')
  await helper.sees(t('console.denied.title'))
  expect(helper.problems()).toEqual([])
  await helper.leaves()
})
