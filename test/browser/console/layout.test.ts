/** The layout of the console where browsers differ: widths, marks and controls, measured. */
import { beforeAll, expect, test } from 'vitest'
import { consoleTexts, withConsole } from '../../support/console.ts'
import type { Person } from '../../support/people.ts'

const { t } = consoleTexts
let ada: Person
const house = withConsole(
  {
    'ada@example.com': { name: 'Ada Lovelace-Byron', role: 'admin' },
    'maximiliana@example.com': { name: 'Maximiliana Featherstonehaugh' },
  },
  { config: { oidc: { rsaModulusLength: 2048 } } },
)
beforeAll(async () => {
  ada = await house.arrives('ada@example.com', '/admin/users', consoleTexts)
})

const styleOf = (selector: string, property: string) =>
  ada.page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`)

test('names of people keep a readable width beside an open preview', async () => {
  for (const width of [1100, 1280, 1600]) {
    await ada.page.setViewportSize({ width, height: 800 })
    await ada.page.locator('tbody tr .who').first().waitFor()
    if ((await ada.page.locator('.table-peeked').count()) === 0) await ada.page.locator('tbody tr').first().click()
    await ada.page.locator('.table-peeked').waitFor()
    const narrowest = await ada.page.evaluate<number>(
      `Math.min(...[...document.querySelectorAll('.who')].map((one) => one.getBoundingClientRect().width))`,
    )
    expect(narrowest, `at ${width}`).toBeGreaterThan(180)
  }
})

test('the row selected by keyboard is marked on its first cell, because not every browser draws shadows of rows', async () => {
  await ada.page.keyboard.press('Escape')
  await ada.page.keyboard.press('ArrowDown')
  await ada.page.locator('tr[data-active]').waitFor()
  expect(await styleOf('tr[data-active] > :first-child', 'boxShadow')).toContain('inset')
})

test('the selects of console filters have their own arrow and room for the arrow', async () => {
  expect(await styleOf('.filter select', 'appearance')).toBe('none')
  expect(await ada.page.locator('.filter:has(select) > .icon').count()).toBe(await ada.page.locator('.filter select').count())
})

test('combining marks piled on a letter in a name do not paint over another row', async () => {
  await house.app.app.core.db
    .knex('user')
    .where({ email: 'maximiliana@example.com' })
    .update({ name: `a${'\u0301'.repeat(199)}` })
  await ada.open('/admin/users')
  await ada.page.getByText('maximiliana@example.com').click()
  for (const part of ['.who-text', '.peek-head h2', '.page-titles h1']) {
    await ada.page.locator(part).first().waitFor()
    expect(await styleOf(part, 'overflowY'), part).toBe('clip')
  }
})

test('an empty date field of a filter is as faint as an empty text field', async () => {
  await ada.open('/admin/events')
  await ada.presses(t('history.more'))
  await ada.page.locator('.filter-input[type=date]').first().waitFor()
  const empty = await styleOf('.filter-input[type=date]', 'color')
  await ada.page.locator('.filter-input[type=date]').first().fill('2026-11-01')
  await ada.page.keyboard.press('Enter')
  await ada.page.locator('.filter-set .filter-input[type=date]').first().waitFor()
  await ada.page.locator('h1').click()
  expect(await styleOf('.filter-set .filter-input[type=date]', 'color')).not.toBe(empty)
})
