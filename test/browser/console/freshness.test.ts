/** A change reloads only the data that it affects, no matter who made it. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { register } from '../../http/oidc/flow.ts'
import { password } from '../../support/app.ts'
import { consoleTexts, presses, withConsole } from '../../support/console.ts'
import { areQuiet } from '../../support/followed-page.ts'

const { t } = consoleTexts

const house = withConsole(
  {
    'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
    'colleague@example.com': { name: 'Cora Colleague', role: 'admin' },
    'mallory@example.com': { name: 'Mallory Mule' },
  },
  { config: { oidc: { rsaModulusLength: 2048 } } },
)

const userOf = async (email: string) => {
  const row = await house.app.app.core.transact((tx) => tx.knex('user').where({ email }).first('id'))
  return String(row.id)
}
const isStream = (url: string) => new URL(url).pathname === '/admin/events/stream'

/** Waits until the streams have delivered all events, and the pages have loaded what they needed. */
const isQuiet = (...pages: readonly Page[]) => areQuiet(house.app, ...pages)

/** Opens an address and records every read that the page makes from then on. */
const follows = async (path: string, email = 'admin@example.com') => {
  const who = await house.follows(email, path)
  const { page } = who
  // A stream starts with the events of the last seconds.
  await isQuiet(page)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'GET' && request.resourceType() === 'fetch' && !isStream(request.url())) asked.push(pathname)
  })
  return { ...who, asked }
}

/** The text of the page without relative times. */
const wordsOf = async (page: Page) =>
  (await page.locator('main').innerText())
    .replace(/\b(now|just now|\d+ (seconds?|minutes?) ago|in \d+ \w+)\b/gi, '')
    .replace(/\s+/g, ' ')

/** Expects that a reload of the page shows the same text. */
const isFresh = async (page: Page) => {
  const kept = await wordsOf(page)
  // Waiting for an idle network would never end, because the stream stays open.
  await page.reload()
  await expect.poll(() => wordsOf(page)).toBe(kept)
}

test('renaming a person reloads only five responses: those with the name, the activity and the mails', async () => {
  const id = await userOf('mallory@example.com')
  const admin = await follows(`/admin/users/${id}`)
  const { page, asked } = admin
  await admin.sees('Mallory Mule')
  // The texts of the last panel load separately.
  await admin.reads(t('logouts.title'))
  await presses(page, t('people.edit'))
  await page.getByRole('dialog').getByLabel(t('people.name'), { exact: true }).fill('Mallory Moved')
  asked.length = 0
  await page.keyboard.press('Enter')
  await admin.sees('Mallory Moved')
  await isQuiet(page)
  // Lists of sessions contain the name of the person.
  const sessions = `/admin/users/${id}/sessions`
  expect(asked.toSorted()).toEqual(['/admin/events', '/admin/mails', `/admin/users/${id}`, sessions, sessions])
  await isFresh(page)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a ban reloads the person, everything that the ban ends, and the activity of the person', async () => {
  const id = await userOf('mallory@example.com')
  const admin = await follows(`/admin/users/${id}`)
  const { page, asked } = admin
  await presses(page, t('people.ban'))
  await page.getByRole('dialog').locator('[name=reason]').fill('spam')
  asked.length = 0
  await page.keyboard.press('Enter')
  await page.locator('main').getByText(t('people.banned'), { exact: true }).first().waitFor()
  await isQuiet(page)
  // Sessions, consents and notices load at most twice, because their end is recorded a moment later.
  expect(asked.length).toBeLessThanOrEqual(14)
  expect(asked.filter((path) => /organizations|customers|invitations/.test(path))).toEqual([])
  await isFresh(page)
  await admin.leaves()
})

test("a colleague's change is reloaded only on the pages that show it", async () => {
  const { clientId } = await register(house.app, { name: 'Shop' })
  const list = await follows('/admin/clients')
  const other = await follows('/admin/users')
  await list.sees(t('console.screen.applications'))
  const colleague = house.app.client()
  await colleague.post('/sign-in/email', { email: 'colleague@example.com', password: password })
  await colleague.api.applications.updateApplication({ params: { clientId }, body: { name: 'Their shop' } })
  await list.page.getByText('Their shop').first().waitFor()
  await isQuiet(list.page, other.page)
  expect(list.asked).toEqual(['/admin/clients'])
  expect(other.asked).toEqual([])
  await isFresh(list.page)
  await list.leaves()
  await other.leaves()
})

test('a new application and a changed setting each reload little and leave nothing outdated on the page', async () => {
  const admin = await follows('/admin/organizations')
  const { page, asked } = admin
  const colleague = house.app.client()
  await colleague.post('/sign-in/email', { email: 'colleague@example.com', password: password })
  await colleague.api.settings.updateSettings({ body: { set: { 'brand.name': 'Acme Accounts' } } })
  await isQuiet(page)
  expect(asked).toEqual(['/admin/organizations'])
  await colleague.api.allOrganizations.adminCreateOrganization({
    body: { name: 'Acme', slug: 'acme', ownerId: await userOf('colleague@example.com'), unverified: true },
  })
  await isQuiet(page)
  expect(asked).toEqual(['/admin/organizations', '/admin/organizations'])
  await admin.leaves()
})
