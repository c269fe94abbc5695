/** Changes made by other people appear without a reload, and do not disturb the reader. */
import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { register } from '../../http/oidc/flow.ts'
import { password } from '../../support/app.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, withConsole } from '../../support/console.ts'
import { areQuiet, canBeFollowed, passesTimeUntil, streamsOf } from '../../support/followed-page.ts'
import { person } from '../../support/people.ts'

const { t } = consoleTexts

const house = withConsole(
  {
    'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
    'helper@example.com': { name: 'Hal Helper', role: 'helper' },
    'mallory@example.com': { name: 'Mallory Mule' },
    'ann@example.com': { name: 'Ann Archer' },
  },
  {
    config: { oidc: { rsaModulusLength: 2048 }, access: { roles: { helper: { permissions: ['users:read'] } } } },
  },
)

const isStream = (request: Request) => new URL(request.url()).pathname === '/admin/events/stream'

const userOf = async (email: string) => {
  const row = await house.app.app.core.transact((tx) => tx.knex('user').where({ email }).first('id'))
  return String(row.id)
}
const ban = async (email: string) =>
  house.app.app.administration.ban(systemPrincipal('test'), await userOf(email), 'spam', undefined)

test('a changed row updates in its place, and new rows appear only on request', async () => {
  const admin = await house.follows('admin@example.com', '/admin/users')
  const { page } = admin
  await admin.sees(t('people.users'))
  const mallory = page.getByRole('link', { name: 'Mallory Mule' })
  await mallory.focus()
  const before = await mallory.boundingBox()
  // Automatic reloads of the console do not keep an unattended session alive.
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === '/admin/users')
  await ban('mallory@example.com')
  await areQuiet(house.app, page)
  await page
    .getByRole('row', { name: /Mallory Mule/ })
    .getByText(t('people.banned'), { exact: true })
    .waitFor()
  expect(new URL((await asked).url()).searchParams.get('disableRefresh')).toBe('true')
  await house.app.signedIn('zoe@example.com', 'Zoe New')
  await areQuiet(house.app, page)
  const show = page.getByRole('button', { name: t('console.table.fresh', { count: 1 }) })
  await show.waitFor()
  // The rows have not moved, and the focus is where it was.
  expect(await mallory.boundingBox()).toEqual(before)
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('Mallory Mule')
  expect(await page.getByRole('link', { name: 'Zoe New' }).count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'fresh')
  await show.click()
  await page.getByRole('link', { name: 'Zoe New' }).waitFor()
  expect(await show.count()).toBe(0)
  expect(await page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe(t('people.users'))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the data of a form does not change while a person fills the form in', async () => {
  const { clientId } = await register(house.app, { name: 'Shop' })
  const admin = await house.follows('admin@example.com', `/admin/clients/${clientId}`)
  const { page } = admin
  await admin.sees('Shop')
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'GET' && !isStream(request)) asked.push(new URL(request.url()).pathname)
  })
  await page.getByRole('button', { name: `${t('clients.edit')} ${t('clients.facts')}`, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(t('clients.name'), { exact: true }).fill('My shop')
  const colleague = house.app.client()
  await colleague.post('/sign-in/email', { email: 'admin@example.com', password })
  await colleague.api.applications.updateApplication({ params: { clientId }, body: { name: 'Their shop' } })
  await areQuiet(house.app, page)
  expect(asked).toEqual([])
  expect(await page.getByRole('heading', { level: 1, includeHidden: true }).textContent()).toBe('Shop')
  // The form is based on an outdated version: neither the colleague's change nor the typed text is lost.
  await dialog.getByRole('button', { name: t('console.form.save'), exact: true }).click()
  await admin.reads(t('console.changed.text'))
  expect(await dialog.getByLabel(t('clients.name'), { exact: true }).inputValue()).toBe('My shop')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await areQuiet(house.app, page)
  await admin.sees('Their shop')
  await admin.leaves()
})

test('a hidden tab receives no events and shows the current data when it becomes visible', async () => {
  const admin = await house.follows('admin@example.com', '/admin/events')
  const { page } = admin
  const show = (isHidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
    )
  const left = page.waitForEvent('requestfailed', isStream)
  await show(true)
  await left
  await ban('ann@example.com')
  await areQuiet(house.app)
  const again = page.waitForRequest(isStream)
  await show(false)
  expect((await again).headers()['last-event-id']).toMatch(/^\d+$/)
  await areQuiet(house.app, page)
  await page.getByRole('button', { name: /^Show \d+ new rows?$/ }).click()
  await page.getByText('user.banned').first().waitFor()
  await admin.leaves()
})

test('the charts of the first screen follow new events', async () => {
  const admin = await house.follows('admin@example.com', '/admin/overview')
  const { page } = admin
  await page.getByRole('region', { name: t('overview.chart.signUps'), exact: true }).waitFor()
  const asked: URL[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname === '/admin/statistics') asked.push(url)
  })
  await house.app.signedIn('yan@example.com', 'Yan Young')
  await areQuiet(house.app, page)
  // Charts reload ten seconds after an event.
  await passesTimeUntil(page, async () => asked.length > 0)
  expect(asked[0]?.searchParams.get('disableRefresh')).toBe('true')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the console opens no event stream for an administrator who may not read events', async () => {
  const helper = await person(house.app, house.browser, consoleTexts, '/admin/users', 'helper@example.com', canBeFollowed)
  const { page } = helper
  await helper.sees(t('people.users'))
  await page.clock.runFor(30_000)
  expect(await streamsOf(page)).toBe(0)
  expect(helper.problems()).toEqual([])
  await helper.leaves()
})

test('the event stream is refused once the session has ended elsewhere', async () => {
  const admin = await house.follows('admin@example.com', '/admin/users')
  const { page } = admin
  let isRefused = false
  page.on('response', (response) => {
    isRefused ||= isStream(response.request()) && response.status() === 401
  })
  const id = await userOf('admin@example.com')
  await house.app.app.core.transact(async (tx) => void (await tx.knex('session').where('user_id', id).delete()))
  await passesTimeUntil(page, async () => {
    await house.app.wake('events.stream')
    return isRefused
  })
  await admin.leaves()
})
