/** A second factor required of a role, by the screen of roles and by the button of a finding. */
import { expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, presses, withConsole } from '../../support/console.ts'
import { pressesByKeys } from '../../support/keys.ts'

const { t } = consoleTexts
const house = withConsole({
  'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
  'support@example.com': { name: 'Sam Support', role: 'support' },
  'auditor@example.com': { name: 'Ada Lovelace', role: 'auditor' },
  'user@example.com': { name: 'Ursula User' },
})

const required = async () =>
  (await house.app.app.settings.read()).settings.find(({ key }) => key === 'secondFactor.requiredFor')?.value
const isDue = async (email: string) => (await house.app.app.users.require(house.app.app.core.db, email)).secondFactorDue !== null
const forget = () => house.app.app.settings.change(systemPrincipal('test'), new Map([['secondFactor.requiredFor', undefined]]))
const box = (name: string) => ({ name: new RegExp(`^${t('people.roleFactor')} ?: ${name}$`) })

test('a switch on the screen of roles requires a second factor of a role, and a second press stops requiring it', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/roles')
  const { page } = admin
  const dialog = page.getByRole('dialog')
  const save = async () => {
    await dialog.locator('ins').first().waitFor()
    await pressesByKeys(dialog.getByRole('button', { name: t('setting.save'), exact: true }))
    await dialog.waitFor({ state: 'detached' })
  }
  // The switch is automatic as long as nobody has set it.
  await page.getByRole('checkbox', box('support')).waitFor()
  expect(await page.locator('input[type=checkbox]:indeterminate').count()).toBe(3)
  expect(await page.getByRole('checkbox', box('user')).isChecked()).toBe(false)
  await page.getByRole('checkbox', box('support')).focus()
  await page.keyboard.press('Space')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'role-factor-review')
  await save()
  // Roles that were automatic still require a second factor.
  expect(await required()).toEqual(expect.arrayContaining(['admin', 'auditor', 'support']))
  expect(await isDue('support@example.com')).toBe(true)
  expect(await isDue('user@example.com')).toBe(false)
  await expect.poll(() => page.getByRole('checkbox', box('auditor')).isChecked()).toBe(true)
  await pictures(page, 'role-factor')
  await page.getByRole('checkbox', box('auditor')).click()
  await dialog.getByText(t('setting.lowersSecurity')).waitFor()
  await save()
  expect(await required()).toEqual(expect.not.arrayContaining(['auditor']))
  expect(await isDue('auditor@example.com')).toBe(false)
  // Every account has the role "user", so its switch applies to everybody.
  await page.getByRole('checkbox', box('user')).click()
  await save()
  await expect.poll(() => page.getByRole('checkbox', box('auditor')).isDisabled()).toBe(true)
  expect(await page.getByRole('checkbox', box('auditor')).isChecked()).toBe(true)
  expect(await accessibilityFaults(page)).toEqual([])
  expect(admin.problems()).toEqual([])
  await admin.leaves()
  await forget()
})

test('the button of a finding requires a second factor of everybody with the role of the person that the finding names', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/health')
  const { page } = admin
  const row = page.getByRole('listitem').filter({ hasText: 'Sam Support' }).first()
  await pressesByKeys(row.getByRole('button', { name: t('console.finding.requireOfRole', { roles: 'support' }), exact: true }))
  await page.getByRole('dialog').locator('ins').first().waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'finding-role')
  await presses(page, t('setting.save'), 'dialog')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await required()).toEqual(expect.arrayContaining(['support']))
  expect(await isDue('support@example.com')).toBe(true)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an administrator who may not change settings sees which roles require a second factor', async () => {
  const auditor = await house.arrives('auditor@example.com', '/admin/roles')
  await auditor.page.getByRole('checkbox', box('support')).waitFor()
  expect(await auditor.page.getByRole('checkbox', box('support')).isDisabled()).toBe(true)
  expect(auditor.problems()).toEqual([])
  await auditor.leaves()
})
