/** Selected rows of a list: how they are selected, and that a bulk action changes exactly the rows that its dialog named. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { holdsUp } from '../../support/browser.ts'
import { consoleTexts, presses, settles, withConsole } from '../../support/console.ts'
import { userColumns } from '../../support/people.ts'
import { fill } from '../../support/plans.ts'

const { t } = consoleTexts

const house = withConsole({
  'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
  'spam3@spam.example': { name: 'Spam Held' },
  'spam1@spam.example': { name: 'Spam One' },
  'spam2@spam.example': { name: 'Spam Two' },
})
beforeAll(async () => {
  await fill(house.app, 'user', 60, userColumns('many'))
})

const opens = async (search: string) => {
  const admin = await house.arrives('admin@example.com', `/admin/users?${search}`)
  await admin.sees(t('people.users'))
  await settles(admin.page)
  return admin
}
const boxes = (page: Page) => page.locator('tbody').getByRole('checkbox')
const chosenOf = async (page: Page) => {
  const all = await boxes(page).all()
  const checked = await Promise.all(all.map((box) => box.isChecked()))
  return checked.flatMap((isChecked, at) => (isChecked ? [at] : []))
}
const choose = (page: Page, name: string) => page.getByRole('checkbox', { name: t('console.table.choose', { name }) }).check()

test('Shift and a click select the rows from the last clicked row, in both directions, and deselect them again', async () => {
  const admin = await opens('sort=createdAt&order=asc')
  const { page } = admin
  const click = (at: number, withShift = false) =>
    boxes(page)
      .nth(at)
      .click(withShift ? { modifiers: ['Shift'] } : {})
  await click(6)
  await click(3, true)
  expect(await chosenOf(page)).toEqual([3, 4, 5, 6])
  await click(8, true)
  expect(await chosenOf(page)).toEqual([3, 4, 5, 6, 7, 8])
  await click(5, true)
  expect(await chosenOf(page)).toEqual([3, 4])
  await admin.reads(t('console.table.chosen', { count: 2 }))
  // A click without Shift selects a single row.
  await click(0)
  expect(await chosenOf(page)).toEqual([0, 3, 4])
  await admin.leaves()
})

test('rows stay selected when pages are turned, and a range of rows starts anew on each page', async () => {
  const admin = await opens('sort=createdAt&order=asc')
  const { page } = admin
  await boxes(page).nth(49).click()
  await page.getByRole('button', { name: t('console.table.next'), exact: true }).click()
  await expect.poll(() => boxes(page).count()).toBe(14)
  await settles(page)
  await boxes(page)
    .nth(2)
    .click({ modifiers: ['Shift'] })
  expect(await chosenOf(page)).toEqual([2])
  await admin.reads(t('console.table.chosen', { count: 2 }))
  await page.getByRole('button', { name: t('console.table.previous'), exact: true }).click()
  await expect.poll(() => boxes(page).count()).toBe(50)
  expect(await chosenOf(page)).toEqual([49])
  // Both rows are changed, including the one that is not shown.
  await presses(page, t('people.ban'))
  await page.getByRole('dialog', { name: t('lists.title', { action: t('people.ban'), count: 2 }) }).waitFor()
  await page.keyboard.press('Escape')
  // A new search clears the selection, since its rows are not shown any more.
  await page.getByRole('searchbox').fill('spam')
  await expect.poll(() => boxes(page).count()).toBe(3)
  expect(await chosenOf(page)).toEqual([])
  await admin.reads(t('console.table.count', { count: 3 }))
  await admin.leaves()
})

test("a row that the dialog of a bulk action leaves out is not changed, even if the row's state changes while the dialog is open", async () => {
  const { knex } = house.app.app.core.db
  const idOf = async (email: string) => String((await knex('user').where({ email }).first('id')).id)
  const isBanned = async (email: string) => (await knex('user').where({ email }).first('banned_at')).banned_at !== null
  const one = await idOf('spam1@spam.example')
  await house.app.app.administration.ban(systemPrincipal('test'), one, 'spam', undefined)
  const admin = await opens('search=spam')
  const { page } = admin
  // An earlier bulk action ends while the next dialog is open, and the screen reloads all its data.
  await choose(page, 'Spam Held')
  const { isHeld, release } = await holdsUp(page, '**/admin/ban-user')
  await presses(page, t('people.ban'))
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(t('console.confirm.reason')).fill('held')
  await presses(page, t('people.ban'), 'dialog')
  await isHeld
  await presses(page, t('console.peek.close'), 'dialog')
  for (const name of ['Spam One', 'Spam Two']) await choose(page, name)
  await presses(page, t('people.ban'))
  await dialog.getByText(t('lists.leftOut', { count: 1, why: t('lists.alreadyBanned') })).waitFor()
  await house.app.app.administration.unban(systemPrincipal('test'), one)
  release()
  await page.locator('tr', { hasText: 'Spam One' }).getByText(t('people.banned'), { exact: true }).waitFor({ state: 'detached' })
  await dialog.getByText(t('lists.leftOut', { count: 1, why: t('lists.alreadyBanned') })).waitFor()
  await dialog.getByLabel(t('console.confirm.reason')).fill('spam')
  await presses(page, t('people.ban'), 'dialog')
  await dialog.getByText(t('lists.done', { count: 1 })).waitFor()
  expect(await isBanned('spam2@spam.example')).toBe(true)
  expect(await isBanned('spam1@spam.example')).toBe(false)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
