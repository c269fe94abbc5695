/** Exports of events in the console: the server writes them while the person uses other screens. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { password } from '../../support/app.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, withConsole } from '../../support/console.ts'
import { areQuiet, passesTimeUntil } from '../../support/followed-page.ts'
import { pressesByKeys } from '../../support/keys.ts'

const { t } = consoleTexts

const house = withConsole({}, { config: { oidc: { rsaModulusLength: 2048 } } })
beforeAll(async () => {
  for (const role of ['admin', 'auditor']) {
    const email = `${role}@example.com`
    await house.app.signedIn(email)
    await house.app.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  }
})

// This test has to run first, because the browser caches code once it is loaded.
test('a screen keeps working when the code that reports finished exports fails to load', async () => {
  const auditor = await house.follows('auditor@example.com', '/admin/sign-ins/explanation')
  const { page } = auditor
  // As after an upgrade of the server, when the files of the old page are gone.
  let missed = 0
  await page.route(/assets\/export-news-.*\.js/, (route) => {
    missed += 1
    return route.fulfill({ status: 404 })
  })
  const other = house.app.client()
  await other.post('/sign-in/email', { email: 'auditor@example.com', password })
  await other.post('/admin/events/exports', { type: 'user.created', format: 'csv' })
  await areQuiet(house.app, page)
  await expect.poll(() => missed).toBeGreaterThan(0)
  await auditor.sees(t('history.explanation'))
  expect(await page.getByRole('navigation', { name: t('console.navigation') }).count()).toBe(1)
  await house.app.app.core.transact((tx) => tx.knex('event_export').delete())
  await auditor.leaves()
})

test('an export that finishes while its owner is on another screen is reported there with its file, and only to its owner', async () => {
  const auditor = await house.follows('auditor@example.com', '/admin/sign-ins/explanation')
  const { page } = auditor
  const admin = await house.follows('admin@example.com', '/admin/overview')
  const asked = admin.page.waitForResponse((response) => new URL(response.url()).pathname === '/admin/events/exports')
  await auditor.sees(t('history.explanation'))
  // The same person starts an export in another browser.
  const other = house.app.client()
  await other.post('/sign-in/email', { email: 'auditor@example.com', password })
  await other.post('/admin/events/exports', { type: 'user.created', format: 'csv' })
  await areQuiet(house.app, page, admin.page)
  const toasts = page.getByRole('region', { name: t('console.notifications') })
  await toasts.getByText(t('history.exportReady')).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'export-news')
  const started = page.waitForEvent('download')
  await pressesByKeys(toasts.getByRole('link', { name: t('history.exportDownload'), exact: true }))
  expect((await started).suggestedFilename()).toMatch(/^events-.*\.csv$/)
  await toasts.getByText(t('history.exportReady')).waitFor({ state: 'detached' })
  // The console of another person asks whether the export is theirs, and shows nothing.
  await asked
  expect(await admin.page.getByText(t('history.exportReady')).count()).toBe(0)
  await house.app.app.core.transact((tx) => tx.knex('event_export').delete())
  expect([...admin.problems(), ...auditor.problems()]).toEqual([])
  await admin.leaves()
  await auditor.leaves()
})

test('an export goes on while its page is left and reloaded, and is downloaded and deleted by keyboard alone', async () => {
  const auditor = await house.follows('auditor@example.com', '/admin/events?type=user.created')
  const { page } = auditor
  await auditor.sees(t('history.events'))
  const exports = page.getByRole('region', { name: t('history.exports') })
  expect(await exports.count()).toBe(0)
  // No worker writes the export yet, so it stays unfinished until the test continues.
  await house.app.app.jobs.stop()
  await pressesByKeys(page.getByRole('button', { name: t('history.exportCsv'), exact: true }))
  await exports.getByText(t('history.export.pending'), { exact: true }).waitFor()
  await exports.getByRole('progressbar', { name: t('history.exportProgress') }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'export-pending')
  await auditor.open('/admin/overview')
  await auditor.sees(t('console.screen.overview'))
  await auditor.open('/admin/events')
  await exports.getByText(t('history.export.pending'), { exact: true }).waitFor()
  const { exports: own } = (await page.request.get(`${house.app.url}/admin/events/exports`).then((answer) => answer.json())) as {
    exports: { id: string; filters: object }[]
  }
  expect(own).toMatchObject([{ filters: { type: 'user.created' } }])
  await house.app.app.eventExports.perform(own[0]?.id ?? '', new AbortController().signal)
  // The page polls by itself.
  await passesTimeUntil(page, () => exports.getByText(t('history.export.made'), { exact: true }).isVisible())
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'export-made')
  const started = page.waitForEvent('download')
  await pressesByKeys(exports.getByRole('link', { name: t('history.exportDownload'), exact: true }))
  const download = await started
  expect(download.suggestedFilename()).toMatch(/^events-.*\.csv$/)
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual(['user.created', 'user.created'])
  await pressesByKeys(exports.getByRole('button', { name: t('history.exportDelete'), exact: true }))
  await exports.waitFor({ state: 'detached' })
  expect(auditor.problems()).toEqual([])
  await auditor.leaves()
})

test('a failed export says why and can be repeated, and exports of other people are not shown', async () => {
  const admin = await house.follows('admin@example.com', '/admin/events?type=user.created')
  const { page } = admin
  await admin.sees(t('history.events'))
  await pressesByKeys(page.getByRole('button', { name: t('history.exportJson'), exact: true }))
  const exports = page.getByRole('region', { name: t('history.exports') })
  await exports.getByText(t('history.export.pending'), { exact: true }).waitFor()
  await house.app.app.core.transact((tx) => tx.knex('event_export').update({ status: 'failed', error: 'too-large' }))
  await passesTimeUntil(page, () => exports.getByText(t('history.exportError.too-large')).isVisible())
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'export-failed')
  await pressesByKeys(exports.getByRole('button', { name: t('history.exportAgain'), exact: true }))
  await exports.getByText(t('history.export.pending'), { exact: true }).waitFor()
  const filters: unknown[] = await house.app.app.core.db.knex('event_export').pluck('filters')
  expect(filters).toEqual(['{"type":"user.created"}', '{"type":"user.created"}'])
  const auditor = await house.arrives('auditor@example.com', '/admin/events')
  await auditor.sees(t('history.events'))
  await auditor.page.locator('table[aria-busy=false] tbody tr').first().waitFor()
  expect(await auditor.page.getByRole('region', { name: t('history.exports') }).count()).toBe(0)
  expect([...admin.problems(), ...auditor.problems()]).toEqual([])
  await admin.leaves()
  await auditor.leaves()
})
