/** How a person arranges a list by keyboard alone: saved views, columns, and the focused row. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, settles, withConsole } from '../../support/console.ts'
import { areQuiet } from '../../support/followed-page.ts'
import { isReached, pressesByKeys, reaches } from '../../support/keys.ts'
import { type Person, userColumns } from '../../support/people.ts'
import { fill } from '../../support/plans.ts'

const { t } = consoleTexts

const house = withConsole({
  'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
  'bella@example.com': { name: 'Bella Banned' },
  'mallory@example.com': { name: 'Mallory Mule' },
  'zoe@example.com': { name: 'Zoe Verified' },
})
beforeAll(async () => {
  await house.app.app.core.transact((tx) =>
    tx.knex('user').where({ email: 'bella@example.com' }).update({ banned_at: house.app.app.core.clock.now() }),
  )
})

const opens = async (path: string, title: string): Promise<Person> => {
  const admin = await house.arrives('admin@example.com', path)
  await admin.sees(title)
  await settles(admin.page)
  return admin
}
const viewButton = (page: Page, name: string = t('console.table.view')) => page.getByRole('button', { name, exact: true })
const item = (page: Page, name: string) =>
  page.getByRole('menuitemradio', { name, exact: true }).or(page.getByRole('menuitem', { name, exact: true }))
/** Goes down the open menu by arrow keys to an entry, and presses Enter. */
const choose = async (page: Page, name: string) => {
  const entry = item(page, name).or(page.getByRole('menuitemcheckbox', { name, exact: true }))
  await entry.waitFor()
  await isReached(page.getByRole('menu').locator(':focus'))
  for (let step = 0; step < 20 && (await entry.and(page.locator(':focus')).count()) === 0; step += 1)
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}
const headers = (page: Page) =>
  page
    .getByRole('columnheader')
    .filter({ hasNot: page.getByRole('checkbox') })
    .allInnerTexts()

test("a list's filters, order and columns are saved as a view, reopened after a reload, renamed and deleted, by keyboard alone", async () => {
  const admin = await opens('/admin/users?banned=true&sort=name&order=asc', t('people.users'))
  const { page } = admin
  await page.keyboard.press('v')
  await choose(page, t('people.role'))
  await expect.poll(() => headers(page)).not.toContain(t('people.role'))
  await pictures(page, 'view-menu')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.keyboard.press('v')
  await choose(page, t('lists.saveView'))
  await isReached(page.getByLabel(t('lists.viewName')))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'view-save')
  await page.keyboard.type('Banned people')
  await page.keyboard.press('Enter')
  await isReached(viewButton(page, 'Banned people'))

  // The list is reset first, then the view is opened: filters, order and columns follow.
  await page.keyboard.press('Enter')
  await choose(page, t('console.table.all'))
  await page.waitForURL((url) => url.pathname === '/admin/users' && url.search === '')
  await page.getByRole('link', { name: 'Mallory Mule' }).waitFor()
  expect(await headers(page)).toContain(t('people.role'))
  await page.reload()
  await settles(page)
  await page.keyboard.press('v')
  await choose(page, 'Banned people')
  await page.waitForURL((url) => url.search === '?banned=true&sort=name&order=asc')
  await page.getByRole('link', { name: 'Mallory Mule' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Bella Banned' }).waitFor()
  expect(await headers(page)).not.toContain(t('people.role'))

  await reaches(page.locator('h1'))
  await page.keyboard.press('v')
  await choose(page, t('lists.manageViews'))
  const dialog = page.getByRole('dialog', { name: t('lists.views') })
  await pressesByKeys(dialog.getByRole('button', { name: `${t('lists.rename')}: Banned people` }))
  await isReached(dialog.getByLabel(t('lists.viewName')))
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Kept out')
  await page.keyboard.press('Enter')
  await dialog.getByText('Kept out').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'view-manage')
  await pressesByKeys(dialog.getByRole('button', { name: `${t('lists.deleteView')}: Kept out` }))
  await dialog.getByText(t('lists.noViews')).waitFor()
  // The focus stayed in the dialog when its button disappeared, so Enter closes the dialog.
  await isReached(dialog.getByRole('button', { name: t('console.peek.close') }))
  await page.keyboard.press('Enter')
  await isReached(viewButton(page))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('hidden columns stay hidden only in this list, and the column that names the row cannot be hidden', async () => {
  const admin = await opens('/admin/sessions', t('people.sessions'))
  const { page } = admin
  await page.keyboard.press('v')
  await choose(page, t('people.device'))
  await expect.poll(() => headers(page)).not.toContain(t('people.device'))
  // The menu stays open for the next column.
  await choose(page, t('people.lastUsed'))
  await expect.poll(() => headers(page)).not.toContain(t('people.lastUsed'))
  const person = page.getByRole('menuitemcheckbox', { name: t('people.person'), exact: true })
  expect(await person.isDisabled()).toBe(true)
  await page.reload()
  await settles(page)
  expect(await headers(page)).toEqual([t('people.person'), t('people.address'), t('people.startedAt')])
  await admin.open('/admin/users')
  await settles(page)
  expect(await headers(page)).toHaveLength(5)
  // Browser storage may contain data of another version, or data that is not from gatehouse.
  await page.evaluate(
    'localStorage.setItem(\'gatehouse.console.list /admin/sessions\', \'{"hidden":7,"views":[{"name":1},null]}\')',
  )
  await admin.open('/admin/sessions')
  await settles(page)
  expect(await headers(page)).toHaveLength(5)
  await page.evaluate("localStorage.setItem('gatehouse.console.list /admin/sessions', 'not JSON')")
  await page.reload()
  await settles(page)
  expect(await headers(page)).toHaveLength(5)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('Enter opens the focused row, even after the list was reloaded and another row took its position', async () => {
  const admin = await house.follows('admin@example.com', '/admin/users')
  const { page } = admin
  await settles(page)
  // Newest first: Zoe, Mallory.
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  const active = page.locator('tr[data-active]')
  await active.getByRole('link', { name: 'Mallory Mule' }).waitFor()
  await house.app.signedIn('newest@example.com', 'Newest Arrival')
  await areQuiet(house.app, page)
  await page.getByRole('button', { name: t('console.table.fresh', { count: 1 }) }).click()
  await page.getByRole('link', { name: 'Newest Arrival' }).waitFor()
  expect(await active.getByRole('link').innerText()).toBe('Mallory Mule')
  await page.keyboard.press('Enter')
  const peek = page.getByRole('complementary', { name: t('console.peek.region') })
  await peek.getByRole('heading', { name: 'Mallory Mule' }).waitFor()
  await page.keyboard.press('Enter')
  await admin.sees('Mallory Mule')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an empty page in the middle of a list says so and offers to look further', async () => {
  await fill(house.app, 'user', 1_050, userColumns('A crowd'))
  await house.app.verify('zoe@example.com')
  const admin = await house.arrives('admin@example.com', '/admin/users?verified=true&sort=name&order=asc')
  const { page } = admin
  await admin.sees(t('people.users'))
  await admin.reads(t('console.table.further'))
  expect(await page.getByText(t('console.table.none'), { exact: true }).count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'look-further')
  await pressesByKeys(page.getByRole('button', { name: t('console.table.lookFurther') }))
  await page.getByRole('link', { name: 'Zoe Verified' }).waitFor()
  await pressesByKeys(page.getByRole('button', { name: t('console.table.previous') }))
  await admin.reads(t('console.table.further'))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
