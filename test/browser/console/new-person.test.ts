/**
 * An administrator creates a person, verifies their address and requires a second factor: on their page, from a finding, and for several
 * people at once.
 */
import { expect, test } from 'vitest'
import { accessibilityFaults } from '../../support/browser.ts'
import { arrives as arrivesBy, consoleTexts, pictures, presses, settles, withConsole } from '../../support/console.ts'
import { pressesByKeys, reaches } from '../../support/keys.ts'

const { t } = consoleTexts

const house = withConsole({
  'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
  'auditor@example.com': { name: 'Ada Lovelace', role: 'auditor' },
  'ann@example.com': { name: 'Ann Example' },
  'bob@example.com': { name: 'Bob Example' },
})

const arrives = (path: string) => arrivesBy(house.app, house.browser, 'admin@example.com', path)
const userOf = (email: string) => house.app.app.users.require(house.app.app.core.db, email)

test('an administrator creates a person by keyboard alone, and the link for the first sign-in is shown once', async () => {
  const admin = await arrives('/admin/users')
  const { page } = admin
  await settles(page)
  await presses(page, t('people.new'))
  await admin.sees(t('people.new'))
  await reaches(page.getByLabel(t('people.name'), { exact: true }))
  await page.keyboard.type('Cleo New')
  await reaches(page.getByLabel(t('people.email'), { exact: true }))
  await page.keyboard.type('cleo@example.com')
  await page.getByRole('radio', { name: new RegExp(`^${t('people.firstSignIn.link')} `) }).check()
  await pictures(page, 'new-person')
  expect(await accessibilityFaults(page)).toEqual([])
  await presses(page, t('people.create'))
  const link = await page.getByRole('textbox', { name: t('people.link'), exact: true }).inputValue()
  expect(link).toContain('/reset-password?token=')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'new-person-link')
  await presses(page, t('people.linkDone'), 'dialog')
  await admin.sees('Cleo New')
  expect((await userOf('cleo@example.com')).emailVerified).toBe(true)
  const token = new URL(link).searchParams.get('token')
  const chosen = await house.app.client().post('/reset-password', { token, newPassword: 'correct horse battery staple' })
  expect(chosen.status).toBe(200)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an administrator marks an email address as verified on the page of its person, with a recorded reason', async () => {
  const { id } = await userOf('ann@example.com')
  const admin = await arrives(`/admin/users/${id}`)
  const { page } = admin
  await admin.sees('Ann Example')
  await presses(page, t('people.verify'))
  await page.getByLabel(t('console.confirm.reason'), { exact: true }).fill('Called, ticket 7')
  await pressesByKeys(page.getByRole('dialog').getByRole('button', { name: t('people.verify'), exact: true }))
  await admin.reads(t('people.verified', { email: 'ann@example.com' }))
  expect((await userOf('ann@example.com')).emailVerified).toBe(true)
  const [event] = await house.app.app.audit.list({ subject: id, type: 'user.email_verified' }, 1)
  expect(event?.reason).toBe('Called, ticket 7')
  await admin.leaves()
})

test('the button of a finding requires a second factor of the person that the finding names', async () => {
  const { id } = await userOf('auditor@example.com')
  const admin = await arrives('/admin/health')
  const { page } = admin
  const row = page.getByRole('listitem').filter({ hasText: 'Ada Lovelace' }).first()
  await row.waitFor()
  await pictures(page, 'finding')
  await pressesByKeys(row.getByRole('button', { name: t('console.finding.requireFactor'), exact: true }))
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: t('people.factorRequireOf', { name: 'Ada Lovelace' }) }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pressesByKeys(dialog.getByRole('button', { name: t('people.factorRequire'), exact: true }))
  await admin.reads(t('people.factorRequiredDone', { name: 'Ada Lovelace' }))
  expect((await userOf('auditor@example.com')).secondFactorRequired).toBe(true)
  expect((await house.app.app.audit.list({ subject: id, type: 'second_factor.required' }, 1)).length).toBe(1)
  await admin.leaves()
})

test('an administrator requires a second factor of several people at once, and stops requiring it on the page of one person', async () => {
  const admin = await arrives('/admin/users?sort=createdAt&order=asc')
  const { page } = admin
  await settles(page)
  for (const name of ['Ann Example', 'Bob Example'])
    await page.getByRole('checkbox', { name: t('console.table.choose', { name }) }).check()
  await presses(page, t('people.factorRequire'))
  await pictures(page, 'bulk-factor')
  await pressesByKeys(page.getByRole('dialog').getByRole('button', { name: t('people.factorRequire'), exact: true }))
  await expect
    .poll(async () => [
      (await userOf('ann@example.com')).secondFactorRequired,
      (await userOf('bob@example.com')).secondFactorRequired,
    ])
    .toEqual([true, true])
  const { id } = await userOf('bob@example.com')
  await admin.open(`/admin/users/${id}`)
  await admin.sees('Bob Example')
  await presses(page, t('people.factorWaive'))
  await pressesByKeys(page.getByRole('dialog').getByRole('button', { name: t('people.factorWaive'), exact: true }))
  await admin.reads(t('people.factorWaivedDone', { name: 'Bob Example' }))
  expect((await userOf('bob@example.com')).secondFactorRequired).toBe(false)
  await admin.leaves()
})
