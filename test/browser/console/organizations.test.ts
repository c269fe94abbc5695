/** Administration of organizations, mostly by keyboard. */
import { beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { selling, tell } from '../../http/billing/purchases.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { arrives, pictures, presses, withConsole } from '../../support/console.ts'
import { imageOf } from '../../support/images.ts'
import { pressesByKeys } from '../../support/keys.ts'
import type { Person } from '../../support/people.ts'

const { t } = await loadI18n('en', [], ['console', 'consoleOrganizations', 'consolePeople', 'account'])

const { config } = selling({ entitlements: [{ name: 'pro', product: 'prod_pro', plan: 'Pro' }] })
const house = withConsole(
  {
    'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
    'auditor@example.com': { name: 'Aude Auditor', role: 'auditor' },
    'support@example.com': { name: 'Sam Support', role: 'support' },
    'olga@example.com': { name: 'Olga Owner' },
    'mia@example.com': { name: 'Mia Member' },
    'nia@example.com': { name: 'Nia Newcomer' },
  },
  { config: { ...config, organizations: { roles: { treasurer: { billing: ['read'] } } } } },
)
beforeAll(async () => {
  for (const email of ['olga@example.com', 'mia@example.com']) await house.app.verify(email)
})

const rows = (table: string, where: object) => house.app.app.core.db.knex(table).where(where)
const idOf = async (slug: string) => String((await rows('organization', { slug }).first('id')).id)
const opens = async (who: string, slug: string): Promise<Person> => house.arrives(who, `/admin/organizations/${await idOf(slug)}`)
const beginsWith = (words: string) => new RegExp(`^${words}`)

test('an administrator creates an organization and finds its owner by a few letters and Enter', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/organizations')
  const { page } = admin
  await admin.reads(t('organizations.empty'))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'organizations-empty')
  await presses(admin.page, t('organizations.new'))
  await admin.sees(t('organizations.new'))
  await page.getByLabel(t('organizations.name')).fill('Analytical Engines')
  expect(await page.getByLabel(t('organizations.slug')).inputValue()).toBe('analytical-engines')
  await page.getByLabel(t('organizations.owner')).fill('olg')
  await page.getByRole('button', { name: /Olga Owner/ }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'organization-new')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: t('organizations.chooseOther') }).waitFor()
  await presses(admin.page, t('organizations.create'))
  await admin.sees('Analytical Engines')
  await page.locator('main').getByRole('link', { name: 'Olga Owner' }).first().waitFor()

  // The same slug a second time: the typed text stays, and the field says what is wrong.
  await page.goto(`${house.app.url}/admin/organizations/~new`)
  await page.getByLabel(t('organizations.name')).fill('Analytical Engines')
  await presses(admin.page, t('organizations.create'))
  await admin.reads(t('organizations.slugTaken'))
  expect(await page.getByLabel(t('organizations.name')).inputValue()).toBe('Analytical Engines')
  await page.getByLabel(t('organizations.slug')).fill('engines-2')
  await presses(admin.page, t('organizations.create'))
  await admin.reads(t('organizations.membersNone'))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('organizations are searched, sorted, previewed and opened by keyboard, and found by slug with Ctrl-K', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/organizations?search=engin')
  const { page } = admin
  await page.getByRole('link', { name: 'Analytical Engines' }).first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('complementary', { name: t('console.peek.region') }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'organizations')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: t('organizations.profile') }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: t('console.palette.label') }).fill('engines-2')
  await page.getByRole('option', { name: /engines-2/ }).waitFor()
  await page.keyboard.press('Enter')
  await admin.reads(t('organizations.membersNone'))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('members are added, given roles and removed, and the last owner cannot be removed', async () => {
  const admin = await opens('admin@example.com', 'analytical-engines')
  const { page } = admin
  const dialog = page.getByRole('dialog')
  await admin.sees('Analytical Engines')
  await presses(admin.page, t('organizations.addMember'))
  await presses(admin.page, t('organizations.addMember'), 'dialog')
  await admin.reads(t('organizations.userMissing'))
  await dialog.getByLabel(t('organizations.user')).fill('mia')
  await dialog.getByRole('button', { name: /Mia Member/ }).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByRole('checkbox', { name: /^treasurer/ }).check()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'organization-add-member')
  await presses(admin.page, t('organizations.addMember'), 'dialog')
  await page.locator('main').getByRole('link', { name: 'Mia Member' }).first().waitFor()
  expect(await rows('member', { role: 'member,treasurer' })).toHaveLength(1)

  const remove = (name: string) => page.getByRole('button', { name: beginsWith(`${t('organizations.remove')} ${name}`) })
  expect(await remove('Olga Owner').getAttribute('aria-disabled')).toBe('true')
  expect(await remove('Olga Owner').textContent()).toContain(t('organizations.onlyOwner'))
  await presses(admin.page, beginsWith(`${t('organizations.changeRoles')} Olga Owner`))
  await dialog.getByRole('checkbox', { name: /^owner/ }).uncheck()
  await dialog.getByRole('checkbox', { name: /^admin/ }).check()
  await presses(admin.page, t('console.form.save'), 'dialog')
  await admin.reads(t('organizations.onlyOwner'))
  await pictures(page, 'organization-roles-of')
  await page.keyboard.press('Escape')
  await presses(admin.page, beginsWith(`${t('organizations.changeRoles')} Mia Member`))
  await dialog.getByRole('checkbox', { name: /^owner/ }).check()
  await presses(admin.page, t('console.form.save'), 'dialog')
  await admin.reads(t('organizations.rolesSet', { name: 'Mia Member' }))
  // There are two owners now, so either may be removed.
  await presses(admin.page, beginsWith(`${t('organizations.remove')} Mia Member$`))
  await admin.reads(t('organizations.membersLeft', { count: 1 }))
  await presses(admin.page, t('organizations.remove'), 'dialog')
  await admin.reads(t('organizations.memberRemoved', { name: 'Mia Member' }))
  await expect.poll(() => rows('member', { role: 'member,treasurer,owner' })).toHaveLength(0)
  await admin.reads('member.removed')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a user with an unverified email address becomes owner or member only after an administrator confirms this user', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/organizations/~new')
  const { page } = admin
  const dialog = page.getByRole('dialog')
  const knows = page.getByRole('checkbox', { name: t('organizations.unverified') })
  await page.getByLabel(t('organizations.name')).fill('Newcomers')
  await page.getByLabel(t('organizations.owner')).fill('nia')
  await page.getByRole('button', { name: /Nia Newcomer/ }).click()
  expect(await knows.count()).toBe(0)
  await presses(page, t('organizations.create'))
  await page.getByRole('alert').getByText('nia@example.com').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await knows.check()
  // The confirmation for one user does not hold for another.
  await presses(page, t('organizations.chooseOther'))
  await knows.waitFor({ state: 'detached' })
  await page.getByLabel(t('organizations.owner')).fill('nia')
  await page.getByRole('button', { name: /Nia Newcomer/ }).click()
  await presses(page, t('organizations.create'))
  await knows.check()
  await presses(page, t('organizations.create'))
  await admin.sees('Newcomers')
  expect(await rows('member', { role: 'owner', organization_id: await idOf('newcomers') })).toHaveLength(1)

  await page.goto(`${house.app.url}/admin/organizations/${await idOf('analytical-engines')}`)
  await presses(page, t('organizations.addMember'))
  await dialog.getByLabel(t('organizations.user')).fill('nia')
  await dialog.getByRole('button', { name: /Nia Newcomer/ }).click()
  await presses(page, t('organizations.addMember'), 'dialog')
  await knows.check()
  await pictures(page, 'organization-unverified')
  await presses(page, t('organizations.addMember'), 'dialog')
  await page.locator('main').getByRole('link', { name: 'Nia Newcomer' }).first().waitFor()
  await presses(page, beginsWith(`${t('organizations.changeRoles')} Nia Newcomer`))
  await dialog.getByRole('checkbox', { name: /^owner/ }).check()
  await presses(page, t('console.form.save'), 'dialog')
  await knows.check()
  await presses(page, t('console.form.save'), 'dialog')
  await admin.reads(t('organizations.rolesSet', { name: 'Nia Newcomer' }))
  await house.app.app.core.transact((tx) => tx.knex('member').where({ role: 'member,owner' }).delete())
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a person is invited, the link can be copied, and an invitation is sent again or canceled with an undo', async () => {
  const admin = await opens('admin@example.com', 'analytical-engines')
  const { page } = admin
  const dialog = page.getByRole('dialog')
  await admin.sees('Analytical Engines')
  await presses(admin.page, t('organizations.invite'))
  await dialog.getByLabel(t('organizations.email')).fill('new@example.com')
  await pictures(page, 'organization-invite')
  await presses(admin.page, t('organizations.invite'), 'dialog')
  await admin.reads(t('organizations.invited', { email: 'new@example.com' }))
  await page.getByRole('button', { name: beginsWith(t('organizations.copyLink')) }).waitFor()
  await presses(admin.page, beginsWith(t('organizations.resend')))
  await presses(admin.page, t('organizations.resend'), 'dialog')
  await admin.reads('invitation.created')
  // The address of an invitation leads to the organization of the invitation.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: t('console.palette.label') }).fill('new@example.com')
  await page.getByRole('option', { name: /analytical-engines/ }).waitFor()
  await page.keyboard.press('Escape')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'organization')
  await presses(admin.page, beginsWith(t('organizations.cancelInvitation')))
  await pressesByKeys(page.getByRole('button', { name: t('console.undo.action') }))
  await admin.reads(t('console.undo.undone'))
  expect(await rows('invitation', { status: 'pending' })).toHaveLength(1)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the invitations of all organizations are filtered, previewed, sent again and canceled, and an invitation is found by its link', async () => {
  const [{ id }] = (await rows('invitation', { email: 'new@example.com', status: 'pending' })) as [{ id: string }]
  await house.app.app.core.transact((tx) =>
    tx
      .knex('invitation')
      .where({ id })
      .update({ expires_at: new Date(0) }),
  )
  const admin = await house.arrives('admin@example.com', '/admin/invitations?status=pending')
  const { page } = admin
  const peek = page.getByRole('complementary', { name: t('console.peek.region') })
  await admin.reads(t('console.table.none'))
  await page.getByRole('combobox', { name: t('people.state') }).selectOption('expired')
  await page.locator('main').getByText('new@example.com').first().waitFor()
  expect(new URL(page.url()).searchParams.get('status')).toBe('expired')
  await page.keyboard.press('Escape')
  await page.locator('main h1').click()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await peek.waitFor()
  expect(await peek.getByRole('button', { name: beginsWith(t('organizations.copyLink')) }).count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'invitations')
  await pressesByKeys(peek.getByRole('button', { name: t('organizations.resend'), exact: true }))
  await presses(admin.page, t('organizations.resend'), 'dialog')
  await admin.reads(t('organizations.invited', { email: 'new@example.com' }))
  // The expired invitation is canceled and replaced by a new one.
  const [{ id: newer }] = (await rows('invitation', { email: 'new@example.com', status: 'pending' })) as [{ id: string }]
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: t('console.palette.label') }).fill(`${house.app.url}/invitation/${newer}?token=secret`)
  await page.getByRole('option', { name: /analytical-engines/ }).waitFor()
  await page.keyboard.press('Enter')
  await peek.getByRole('button', { name: beginsWith(t('organizations.copyLink')) }).waitFor()
  await pressesByKeys(peek.getByRole('button', { name: t('organizations.cancelInvitation'), exact: true }))
  await pressesByKeys(page.getByRole('button', { name: t('console.undo.action') }))
  await admin.reads(t('console.undo.undone'))
  expect(await rows('invitation', { id: newer, status: 'pending' })).toHaveLength(1)
  expect(admin.problems()).toEqual([])
  await admin.leaves()

  const auditor = await arrives(
    house.app,
    house.browser,
    'auditor@example.com',
    `/admin/invitations?organizationId=${await idOf('analytical-engines')}`,
  )
  await auditor.page.locator('main').getByText('new@example.com').first().waitFor()
  await auditor.page.keyboard.press('j')
  await auditor.page.keyboard.press('Enter')
  await auditor.reads(t('organizations.idsHidden'))
  expect(await auditor.page.content()).not.toContain(newer)
  await auditor.leaves()
})

test("an organization's logo is uploaded, and an edit is not lost when a colleague has saved first", async () => {
  const admin = await opens('admin@example.com', 'analytical-engines')
  const { page } = admin
  await admin.sees('Analytical Engines')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await imageOf({ width: 200, height: 200, color: '#06c' }) })
  await admin.reads(t('organizations.logoSaved'))
  await page.locator('.logo-row img').waitFor()
  await presses(admin.page, t('organizations.edit'))
  const name = page.getByRole('dialog').getByLabel(t('organizations.name'))
  await name.fill('Mine')
  await house.app.app.core.transact((tx) =>
    tx.knex('organization').where({ slug: 'analytical-engines' }).update({ name: 'Theirs' }),
  )
  await presses(admin.page, t('console.form.save'), 'dialog')
  await admin.reads(t('console.changed.now', { value: 'Theirs' }))
  expect(await name.inputValue()).toBe('Mine')
  await pictures(page, 'organization-changed')
  await presses(admin.page, t('console.changed.overwrite'), 'dialog')
  await admin.sees('Mine')
  await presses(admin.page, t('organizations.factorRequire'))
  await admin.reads(t('organizations.factorSessions'))
  await presses(admin.page, t('organizations.factorRequire'), 'dialog')
  // Administrators cannot require a second factor of others without having one themselves.
  await admin.reads(t('proof.enrol'))
  expect((await rows('organization', { name: 'Mine' }).first('requires_second_factor')).requires_second_factor).toBeFalsy()
  await admin.leaves()
})

test('teams are created, filled, emptied with an undo, renamed and deleted', async () => {
  const admin = await opens('admin@example.com', 'analytical-engines')
  const { page } = admin
  const dialog = page.getByRole('dialog')
  await admin.sees('Mine')
  await presses(admin.page, t('organizations.newTeam'))
  await dialog.getByLabel(t('organizations.name')).fill('Engine room')
  await presses(admin.page, t('organizations.newTeam'), 'dialog')
  await page.getByRole('link', { name: 'Engine room' }).click()
  await admin.sees('Engine room')
  await presses(admin.page, t('organizations.addMember'))
  await dialog.getByLabel(t('organizations.member')).selectOption({ label: 'Olga Owner · olga@example.com' })
  await presses(admin.page, t('organizations.addMember'), 'dialog')
  await page.locator('main').getByRole('link', { name: 'Olga Owner' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'organization-team')
  await presses(admin.page, beginsWith(`${t('organizations.remove')} Olga`))
  await pressesByKeys(page.getByRole('button', { name: t('console.undo.action') }))
  await admin.reads(t('console.undo.undone'))
  await presses(admin.page, t('organizations.rename'))
  await dialog.getByLabel(t('organizations.name')).fill('Boiler room')
  await presses(admin.page, t('console.form.save'), 'dialog')
  await admin.sees('Boiler room')
  await presses(admin.page, t('organizations.delete'))
  await admin.reads(t('organizations.teamMembersLeave', { count: 1 }))
  await presses(admin.page, t('organizations.delete'), 'dialog')
  await admin.sees('Mine')
  await page.getByRole('link', { name: 'Boiler room' }).waitFor({ state: 'detached' })
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the entitlements of an organization are shown with their rule and purchase, and link to the customer', async () => {
  const externalId = await idOf('analytical-engines')
  await tell(house.app, 'subscription.active', { customerId: 'cus_org', externalId, productId: 'prod_pro' })
  const admin = await opens('admin@example.com', 'analytical-engines')
  await admin.sees('Mine')
  await admin.reads('billing.entitlements.0')
  await admin.page
    .getByRole('region', { name: t('organizations.purchases') })
    .getByRole('link')
    .click()
  await admin.page.waitForURL('**/admin/billing/customers/cus_org')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the role matrix shows what the server allows each role, including roles from the configuration', async () => {
  const auditor = await house.arrives('auditor@example.com', '/admin/organization-roles')
  const { page } = auditor
  await auditor.sees(t('organizations.rolesTitle'))
  const heads = await page.getByRole('columnheader').allTextContents()
  expect(heads.join(' ')).toMatch(/owner.*admin.*member.*treasurer/)
  const row = page.getByRole('row', { name: /^billing:read/ })
  expect(await row.getByRole('cell').allTextContents()).toEqual(['Yes', 'Yes', '–No', 'Yes'])
  await auditor.reads('organizations.limitPerUser')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'organization-matrix')
  expect(auditor.problems()).toEqual([])
  await auditor.leaves()
})

test('an auditor sees an organization without the ids of its invitations, and cannot change anything in it', async () => {
  const reader = await opens('auditor@example.com', 'analytical-engines')
  const { page } = reader
  await reader.sees('Mine')
  await page.getByRole('link', { name: 'Olga Owner' }).first().waitFor()
  await reader.reads(t('organizations.idsHidden'))
  const button = page
    .locator('main')
    .getByRole('button', { name: beginsWith(t('organizations.copyLink')) })
    .first()
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  expect(await button.textContent()).toContain('admin')
  expect(reader.problems()).toEqual([])
  await reader.leaves()
})

test('deleting an organization requires its slug and a reason, and shows how much will be deleted', async () => {
  const admin = await opens('admin@example.com', 'analytical-engines')
  const { page } = admin
  await admin.sees('Mine')
  await presses(admin.page, t('organizations.delete'))
  await admin.reads(t('organizations.deleteMembers', { count: 1 }))
  await admin.reads(t('organizations.deleteCustomers', { count: 1 }))
  await admin.reads(t('organizations.deleteInvitations', { count: 1 }))
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(t('console.confirm.reason')).fill('closed down')
  await dialog.getByLabel(t('console.confirm.type', { text: 'analytical-engines' })).fill('analytical-engines')
  await pictures(page, 'organization-delete')
  await page.keyboard.press('Enter')
  await admin.sees(t('organizations.title'))
  await page.getByRole('link', { name: 'Mine' }).waitFor({ state: 'detached' })
  expect(await rows('organization', { slug: 'analytical-engines' })).toHaveLength(0)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
