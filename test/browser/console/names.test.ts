/** People, applications and organizations are shown by name: in lists, in events, and in filters. */
import { beforeAll, expect, test } from 'vitest'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, settles, withConsole } from '../../support/console.ts'
import { reaches } from '../../support/keys.ts'

const { t } = consoleTexts

let annId = ''
const house = withConsole({
  'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
  'ann@example.com': { name: 'Ann Example' },
  'bob@example.com': { name: 'Bob Example' },
})
beforeAll(async () => {
  const ann = await house.app.app.core.transact((tx) => tx.knex('user').where({ email: 'ann@example.com' }).first('id'))
  annId = ann.id
  await house.app.client().post('/sign-in/email', { email: 'ann@example.com', password: 'not her password' })
})

test('the audit log is filtered by the name of a person with the keyboard alone, and shows names instead of ids', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/events')
  const { page } = admin
  await admin.sees(t('history.events'))
  await settles(page)
  const box = page.getByRole('combobox', { name: t('history.subject'), exact: true })
  await reaches(box)
  await page.keyboard.type('ann')
  await page.getByRole('option', { name: /Ann Example/ }).waitFor()
  expect(await box.getAttribute('aria-expanded')).toBe('true')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'events-combobox')
  await page.keyboard.press('ArrowDown')
  const active = await box.getAttribute('aria-activedescendant')
  expect(await page.locator(`[id="${active}"]`).textContent()).toContain('Ann Example')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/admin/events?subject=${annId}`)
  await settles(page)
  expect(await box.inputValue()).toBe('Ann Example')
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.first().textContent()).toContain('Ann Example')
  expect(await page.locator('tbody').textContent()).not.toContain(annId.slice(0, 6))
  // Opened by its address, the filter takes the name from the rows and loads nothing else.
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.reload()
  await settles(page)
  expect(await box.inputValue()).toBe('Ann Example')
  expect(asked.filter((path) => path.startsWith('/admin/users'))).toEqual([])
  await page.getByRole('button', { name: t('console.filter.clear', { name: t('history.subject') }) }).click()
  await page.waitForURL('**/admin/events')
  await page.keyboard.press('Escape')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('failed sign-ins show the names of people, and a filter text that matches no name is used as an id', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/sign-ins/failures')
  const { page } = admin
  await settles(page)
  await page.locator('tbody').getByRole('link', { name: 'Ann Example', exact: true }).first().waitFor()
  await pictures(page, 'failures')
  await page.getByRole('button', { name: t('history.more'), exact: true }).click()
  await page.getByRole('combobox', { name: t('history.person'), exact: true }).fill('nobody-at-all')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/sign-ins/failures?userId=nobody-at-all')
  await admin.leaves()
})

test('the activity of a person shows the names of the actors', async () => {
  const operator = { kind: 'system', address: '', userAgent: '', requestId: 'x' } as const
  await house.app.app.administration.ban(operator, annId, 'test', undefined)
  await house.app.app.administration.unban(operator, annId)
  const admin = await house.arrives('admin@example.com', `/admin/users/${annId}`)
  const { page } = admin
  await admin.sees('Ann Example')
  const panel = page.getByRole('region', { name: t('people.timeline') })
  await panel.getByText(t('console.kind.system')).first().waitFor()
  await panel.getByRole('link', { name: 'Ann Example', exact: true }).first().waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'person')
  await admin.leaves()
})
