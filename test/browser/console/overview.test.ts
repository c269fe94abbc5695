/** The charts of the first screen: numbers that link to their rows, as bars and as tables. */
import { expect, test } from 'vitest'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, withConsole } from '../../support/console.ts'
import { areQuiet } from '../../support/followed-page.ts'

const { t } = consoleTexts

const today = new Date().toISOString().slice(0, 10)
const dayBefore = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10)

const house = withConsole(
  {
    'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
    'watcher@example.com': { name: 'Wally Watcher', role: 'watcher' },
  },
  {
    config: { oidc: { rsaModulusLength: 2048 }, access: { roles: { watcher: { permissions: ['health:read'] } } } },
  },
)

/** Statistics of ninety days, different from day to day. */
const fillDays = async () => {
  const rows = Array.from({ length: 89 }, (_, index) => index + 1).flatMap((ago) => {
    const day = dayBefore(ago)
    const wave = (most: number, step: number) => 1 + Math.round((most / 2) * (1 + Math.sin(ago / step)))
    const of = (measure: string, key: string, amount: number) => ({ day, measure, key, amount })
    return [
      of('sign_ins', 'password', wave(60, 3)),
      of('sign_ins', 'passkey', wave(40, 5)),
      of('sign_ins', 'federated', wave(22, 7)),
      of('sign_ins', 'mail-link', wave(9, 4)),
      of('sign_ins', 'mail-code', wave(6, 2)),
      of('sign_ins', 'other', 2),
      of('failed_sign_ins', 'wrong-password', wave(14, 2)),
      of('failed_sign_ins', 'unknown-address', wave(5, 6)),
      of('failed_sign_ins', 'passkey-signature', 1),
      of('sign_ups', '', wave(12, 8)),
      of('people_by_day', '', wave(90, 4)),
      of('application_people', 'gone', wave(8, 3)),
      of('mails', 'sent', wave(30, 3)),
      ...(ago % 9 === 0 ? [of('mails', 'failed', 2)] : []),
      of('queue_lag', 'mail.send', wave(80, 5)),
      of('webhook_lag', 'polar', wave(9, 3)),
    ]
  })
  await house.app.app.core.db.knex.batchInsert('statistic', rows, 100)
}

test('an administrator chooses a period, opens the table behind a chart and reaches the events of one day by keyboard alone', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/overview?days=7')
  const { page } = admin
  const signIns = page.getByRole('region', { name: t('overview.chart.signIns'), exact: true })
  await signIns.getByRole('img').waitFor()
  await fillDays()
  await page.getByRole('button', { name: t('overview.chart.days', { count: 90 }) }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/overview?days=90')
  await page.getByText('Wrong password', { exact: true }).waitFor()
  await admin.reads(t('overview.method.passkey'))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'overview-90')
  // By keys, the table behind a chart leads to the events of one day.
  await signIns.getByText(t('overview.chart.table')).focus()
  await page.keyboard.press('Enter')
  await signIns.getByRole('table').waitFor()
  expect(await signIns.getByRole('row').count()).toBe(91)
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'overview-table')
  await signIns.getByRole('row').nth(2).getByRole('link').first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname === '/admin/events' && url.searchParams.get('type') === 'session.started')
  expect(new URL(page.url()).searchParams.get('since')).toBe(`${dayBefore(1)}T00:00:00.000Z`)
  await admin.sees(t('history.events'))
  await page.goBack()
  await page.getByRole('button', { name: t('overview.period.month') }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**people=month**')
  await admin.reads(t('overview.most.month'))
  await admin.open('/admin/overview')
  await page.getByText('Wrong password', { exact: true }).waitFor()
  await pictures(page, 'overview-30')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an administrator who may read only statistics sees the numbers without links to lists', async () => {
  const watcher = await house.arrives('watcher@example.com', '/admin/overview')
  const { page } = watcher
  const charts = page.getByRole('region', { name: t('overview.charts') })
  await charts.getByText('Wrong password', { exact: true }).waitFor()
  expect(await charts.getByRole('link').count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  expect(watcher.problems()).toEqual([])
  // When the statistics fail to load, the findings are still shown, and the charts can be loaded again.
  await page.route('**/admin/statistics**', (route) => route.abort())
  await watcher.open('/admin/overview?days=7')
  await charts.getByRole('alert').waitFor()
  await page.getByRole('region', { name: t('overview.findings') }).waitFor()
  await page.unroute('**/admin/statistics**')
  await charts.getByRole('button', { name: t('console.failure.again') }).focus()
  await page.keyboard.press('Enter')
  await charts.getByText('Wrong password', { exact: true }).waitFor()
  await watcher.leaves()
})

test('chart days are in the time zone of the reader, compared with the previous period, readable by pointer and keyboard, and link to lists', async () => {
  const zone = 'Pacific/Auckland'
  const hereDay = (at: Date) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at)
  const day = hereDay(new Date(Date.now() - 3 * 86_400_000))
  /** The first half hour, in UTC, of a day in that time zone. */
  const beginOf = (text: string) => {
    let at = Date.parse(`${text}T00:00:00Z`) - 14 * 3_600_000
    while (hereDay(new Date(at)) < text) at += 1_800_000
    return at
  }
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
  const half = (at: number, amount: number) => ({
    ...{ day: new Date(at).toISOString().slice(0, 16), measure: 'mails', key: 'failed', amount },
  })
  const { knex } = house.app.app.core.db
  await knex('statistic').where({ measure: 'mails', key: 'failed' }).delete()
  await knex('statistic').insert([
    half(beginOf(day) - 1_800_000, 3),
    half(beginOf(day), 5),
    half(beginOf(next) - 1_800_000, 2),
    half(beginOf(day) - 8 * 86_400_000, 4),
  ])
  const admin = await house.arrives('admin@example.com', '/admin/overview?days=7')
  const { page } = admin
  const line = await page.context().newCDPSession(page)
  await line.send('Emulation.setTimezoneOverride', { timezoneId: zone })
  // As long as events are not counted, the page says so, and looks again after ten seconds.
  await areQuiet(house.app)
  await page.reload()
  await admin.reads(t('overview.chart.zone', { zone }))
  const mails = page.getByRole('region', { name: t('overview.chart.mails'), exact: true })
  const failed = mails.getByRole('listitem').filter({ hasText: t('overview.line.failed') })
  await expect.poll(() => failed.innerText()).toContain('10')
  // 10 in this period, compared with 4 in the period before.
  await expect.poll(() => failed.innerText()).toContain('+150%')
  const text = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day))
  const plot = mails.getByRole('img')
  await plot.scrollIntoViewIfNeeded()
  const box = await plot.boundingBox()
  if (box === null) throw new Error('no chart')
  // The day of the test is the third one before the last of seven.
  await page.mouse.move(box.x + (box.width / 7) * 3.5, box.y + box.height / 2)
  await expect.poll(() => mails.locator('.chart-when').first().innerText()).toBe(text)
  expect(await failed.innerText()).toContain('7')
  await page.mouse.move(0, 0)
  const slider = mails.getByRole('slider')
  await slider.focus()
  for (const _ of [1, 2, 3, 4]) await page.keyboard.press('ArrowLeft')
  expect(await slider.getAttribute('aria-valuetext')).toContain(`${text}: `)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname === '/admin/mails')
  const { searchParams } = new URL(page.url())
  expect(searchParams.get('createdSince')).toBe(new Date(beginOf(day)).toISOString())
  expect(searchParams.get('createdUntil')).toBe(new Date(beginOf(next)).toISOString())
  expect(searchParams.get('state')).toBe('sent')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a chart without numbers says since when it counts', async () => {
  await house.app.app.core.db.knex('statistic').where({ measure: 'webhook_lag' }).delete()
  const admin = await house.arrives('admin@example.com', '/admin/overview?days=7')
  const lag = admin.page.getByRole('region', { name: t('overview.chart.webhookLag'), exact: true })
  const since = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(dayBefore(89)))
  await lag.getByText(t('overview.chart.since', { day: since })).waitFor()
  await admin.leaves()
})
