/** Bulk actions on invitations, of one organization or of many. */
import { beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { password } from '../../support/app.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { pictures, presses, settles, withConsole } from '../../support/console.ts'

const { t } = await loadI18n('en', [], ['console', 'consoleLists', 'consoleOrganizations', 'consolePeople'])

const house = withConsole({
  'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
  'auditor@example.com': { name: 'Aude Auditor', role: 'auditor' },
})
beforeAll(async () => {
  const staff = house.app.client()
  await staff.post('/sign-in/email', { email: 'admin@example.com', password })
  const [admin] = await house.app.app.core.db.knex('user').where({ email: 'admin@example.com' })
  for (const slug of ['acme', 'zenith']) {
    const { json } = await staff.post('/admin/organizations', { name: slug, slug, ownerId: admin.id, unverified: true })
    for (const name of ['ann', 'ben'])
      await staff.post(`/admin/organizations/${json['id']}/invitations`, { email: `${name}@${slug}.example`, role: 'member' })
  }
})

const invitations = async () =>
  (await house.app.app.core.db.knex('invitation').select('email', 'status').orderBy(['email', 'status'])).map(
    ({ email, status }) => `${email} ${status}`,
  )
const mailsTo = async (email: string) =>
  (await house.app.app.mail.list(undefined, 100)).filter((mail) => mail.toAddress === email).length

const opens = async (role: string) => {
  const someone = await house.arrives(`${role}@example.com`, '/admin/invitations')
  await someone.sees(t('people.invitations'))
  await settles(someone.page)
  return someone
}

test('invitations of several organizations are sent again and withdrawn together, and expired or answered invitations are left out', async () => {
  const admin = await opens('admin')
  const { page } = admin
  const dialog = page.getByRole('dialog')
  const choose = (email: string, slug: string) =>
    page.getByRole('checkbox', { name: t('console.table.choose', { name: `${email}, ${slug}` }) }).check()
  await choose('ann@acme.example', 'acme')
  await choose('ann@zenith.example', 'zenith')
  await presses(page, t('lists.withdraw'))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'invitations-bulk')
  await presses(page, t('lists.withdraw'), 'dialog')
  await dialog.getByText(t('lists.done', { count: 2 })).waitFor()
  expect(await invitations()).toEqual([
    ...['ann@acme.example canceled', 'ann@zenith.example canceled'],
    ...['ben@acme.example pending', 'ben@zenith.example pending'],
  ])
  await presses(page, t('console.peek.close'), 'dialog')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: t('console.table.chooseAll') }).check()
  await presses(page, t('organizations.resend'))
  await dialog.getByText(t('lists.leftOut', { count: 2, why: t('lists.invitationOver') })).waitFor()
  await presses(page, t('console.call.show'), 'dialog')
  expect(await page.getByRole('textbox', { name: t('console.call.command') }).inputValue()).toContain(
    'gatehouse invite-member --org acme --email ben@acme.example --role member --resend',
  )
  await page.keyboard.press('Escape')
  const before = await Promise.all(['ben@acme.example', 'ann@acme.example'].map(mailsTo))
  await presses(page, t('organizations.resend'), 'dialog')
  await dialog.getByText(t('lists.done', { count: 2 })).waitFor()
  expect(await Promise.all(['ben@acme.example', 'ann@acme.example'].map(mailsTo))).toEqual([(before[0] ?? 0) + 1, before[1]])
  expect(await house.app.app.audit.list({ type: 'invitation.canceled' }, 10)).toHaveLength(2)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
