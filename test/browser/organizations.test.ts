import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { selling, tell } from '../http/billing/purchases.ts'
import { create, joined } from '../http/organizations/people.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../support/browser.ts'
import { mailTo } from '../support/mailbox.ts'
import { type Person, person } from '../support/people.ts'
import { type Smtp, startSmtp } from '../support/smtp.ts'

const i18n = await loadI18n('en', [], ['account', 'links', 'organizations'])
const { t } = i18n
const acme = { organization: 'Acme <i>Corporation' }

let smtp: Smtp
let app: TestApp
let browser: Browser
let ann: Person
let bob: Person
beforeAll(async () => {
  smtp = await startSmtp()
  app = await testApp({
    config: { smtpUrl: smtp.url, accounts: { newDeviceMail: false }, oidc: { rsaModulusLength: 2048 } },
  })
  browser = await launchBrowser()
  await app.signedIn('ann@example.com', 'Ann')
  await app.verify('ann@example.com')
  ann = await person(app, browser, i18n, '/account', 'ann@example.com')
  bob = await person(app, browser, i18n)
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await smtp?.stop()
})

/**
 * Expects no accessibility fault on the open page, in light mode on a desktop and in dark mode on a phone, and no element wider than the
 * screen.
 */
const looksGood = async ({ page }: Person) => {
  for (const [colorScheme, width] of [
    ['dark', 390],
    ['light', 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const where = `${page.url()} ${colorScheme} ${width}`
    expect(await accessibilityFaults(page), where).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), where).toBe(true)
  }
}

const opensTab = async (who: Person, tab: 'members' | 'invitations' | 'teams' | 'settings') => {
  await who.page
    .getByRole('navigation', { name: t('org.sections', acme) })
    .getByRole('link', { name: t(`org.${tab}`) })
    .click()
  await who.page.waitForURL(`**/acme/${tab}`)
  await who.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  await who.sees(t(`org.${tab}`))
  expect(await who.page.evaluate('document.activeElement.tagName')).toBe('H1')
}

const inDialog = (who: Person, name: string) => who.page.getByRole('dialog').getByRole('button', { name, exact: true })

test('a person creates an organization by keyboard alone, and the organization becomes the active one', async () => {
  await ann.follows(t('account.organizations'))
  await ann.sees(t('account.organizations'))
  await ann.reads(t('orgs.none.title'))
  await looksGood(ann)
  const { keyboard } = ann.page
  const reach = async (name: string) => {
    for (let i = 0; i < 40; i += 1) {
      const at = await ann.page.evaluate<string>('document.activeElement.textContent || document.activeElement.name')
      if (at === name) return
      await keyboard.press('Tab')
    }
    throw new Error(`${name} cannot be reached with the keyboard`)
  }
  await reach(t('orgs.new'))
  await keyboard.press('Enter')
  await ann.sees(t('orgs.new'))
  await reach('name')
  await keyboard.press('Enter')
  await ann.reads(t('org.nameMissing'))
  await looksGood(ann)
  expect(await ann.page.evaluate('document.activeElement.name')).toBe('name')
  await keyboard.type(acme.organization)
  await keyboard.press('Tab')
  expect(await ann.page.getByLabel(t('org.slug')).inputValue()).toBe('acme-i-corporation')
  await keyboard.type('acme')
  await keyboard.press('Enter')
  await ann.page.waitForURL('**/account/organizations/acme')
  await ann.sees(acme.organization)
  await ann.reads(t('org.created', acme))
  await ann.reads(t('orgs.active'))
  await looksGood(ann)
})

test('a taken slug is refused at the slug field', async () => {
  await ann.open('/account/organizations/new')
  await ann.sees(t('orgs.new'))
  await ann.fills({ [t('field.name')]: 'Another', [t('org.slug')]: 'Acme' })
  await ann.presses(t('org.create'))
  await ann.page.locator('.field-error').getByText(t('serverError.ORGANIZATION_ALREADY_EXISTS')).waitFor()
  await ann.sees(t('orgs.new'))
})

test('an owner invites several people at once and reads which people were not invited', async () => {
  await ann.open('/account/organizations/acme/members')
  await ann.reads(t('members.onlyYou'))
  await looksGood(ann)
  await opensTab(ann, 'invitations')
  await ann.reads(t('invitations.none'))
  await ann.fills({ [t('invite.emails')]: 'bob@example.com, nonsense' })
  await ann.presses(t('invite.submit'))
  await ann.reads(t('invite.notAddresses', { addresses: 'nonsense' }))
  await ann.fills({ [t('invite.emails')]: 'Bob <Bob@Example.com>; cleo@example.com\nann@example.com' })
  await ann.presses(t('invite.submit'))
  await ann.reads(t('invite.sent', { count: 2 }))
  await ann.reads(t('serverError.USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'))
  await looksGood(ann)
  for (const email of ['bob@example.com', 'cleo@example.com']) await mailTo(smtp, email)
})

test('an owner sends an invitation again, and withdraws another invitation after a confirmation', async () => {
  await ann.chooses('bob@example.com', t('invitations.resendName', { email: 'bob@example.com' }))
  await ann.reads(t('invitations.resent', { email: 'bob@example.com' }))
  await mailTo(smtp, 'bob@example.com', 2)
  await ann.chooses('bob@example.com', t('invitations.copyName', { email: 'bob@example.com' }))
  // Headless browsers may deny access to the clipboard. The page then shows the text to copy.
  await ann.page.getByText(/link for bob@example\.com was copied|Copy this link: http.*invitation/).waitFor()
  await ann.chooses('cleo@example.com', t('invitations.cancelName', { email: 'cleo@example.com' }))
  await looksGood(ann)
  await inDialog(ann, t('invitations.cancel')).click()
  await ann.reads(t('invitations.canceled', { email: 'cleo@example.com' }))
  await ann.page.locator('.row', { hasText: 'cleo@example.com' }).getByText(t('invitation.canceled')).waitFor()
  await ann.sees(t('org.invitations'))
})

test('an invited person with a verified email address accepts in the list of organizations', async () => {
  await app.signedIn('bob@example.com', 'Bob')
  await bob.signsIn('bob@example.com')
  await bob.presses(t('account.verify'))
  await bob.open((await mailTo(smtp, 'bob@example.com', 3)).link)
  await bob.sees(t('verified.title'))
  await bob.open('/account/organizations')
  await bob.reads(t('orgs.pendingInvitations'))
  await looksGood(bob)
  await bob.presses(t('orgs.acceptName', acme))
  await bob.reads(t('orgs.accepted', acme))
  await bob.reads(t('orgs.active'))
  await bob.follows(acme.organization)
  await bob.sees(acme.organization)
})

test('a member is offered only actions that a member may take', async () => {
  expect(await bob.page.getByRole('link', { name: t('org.settings') }).count()).toBe(0)
  expect(await bob.page.getByRole('link', { name: t('invite.submit') }).count()).toBe(0)
  await opensTab(bob, 'members')
  await bob.reads('ann@example.com')
  expect(await bob.page.locator('[aria-haspopup=menu]').count()).toBe(0)
  await opensTab(bob, 'invitations')
  expect(await bob.page.getByLabel(t('invite.emails')).count()).toBe(0)
  await opensTab(bob, 'teams')
  expect(await bob.page.getByRole('button', { name: t('teams.create') }).count()).toBe(0)
  await bob.open('/account/organizations/acme/settings')
  await bob.reads(t('org.settingsNotAllowed'))
  await looksGood(bob)
})

test('a member with a new role is offered the actions that the new role allows', async () => {
  await opensTab(ann, 'members')
  await ann.page.getByRole('searchbox', { name: t('members.search') }).fill('BOB')
  await ann.page.locator('.row', { hasText: 'ann@example.com' }).waitFor({ state: 'detached' })
  await ann.chooses('Bob', t('members.changeName', { name: 'Bob' }))
  const dialog = ann.page.getByRole('dialog', { name: t('members.rolesOf', { name: 'Bob' }) })
  expect(await dialog.getByLabel(t('role.member')).isChecked()).toBe(true)
  await dialog.getByLabel(t('role.admin')).check()
  await looksGood(ann)
  await inDialog(ann, t('common.save')).click()
  await ann.reads(t('members.rolesSaved', { name: 'Bob' }))
  await ann.page.locator('.row', { hasText: 'Bob' }).getByText(t('role.admin')).waitFor()
  await bob.page.reload()
  await bob.sees(t('org.settings'))
  await bob.page.getByLabel(t('org.slug')).waitFor()
  expect(await bob.page.getByRole('button', { name: t('org.delete') }).count()).toBe(0)
  await opensTab(bob, 'members')
  expect(await bob.page.getByRole('button', { name: t('menu.actionsFor', { name: 'Ann' }) }).count()).toBe(0)
})

test('the menu of a row in the list of members is operated by keyboard alone and returns the focus', async () => {
  const { page } = ann
  const focused = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')
  const button = page.getByRole('button', { name: t('menu.actionsFor', { name: 'Bob' }) })
  const change = t('members.changeName', { name: 'Bob' })
  const remove = t('members.removeName', { name: 'Bob' })
  await button.focus()
  await page.keyboard.press('ArrowUp')
  await page.getByRole('menu').waitFor()
  await expect.poll(() => focused()).toBe(remove)
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  await looksGood(ann)
  for (const [key, name] of [
    ['ArrowDown', change],
    ['ArrowUp', remove],
    ['Home', change],
    ['End', remove],
    [change.slice(0, 1).toLowerCase(), change],
  ] as const) {
    await page.keyboard.press(key)
    await expect.poll(() => focused()).toBe(name)
  }
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expect.poll(() => focused()).toBe(await button.getAttribute('aria-label'))
  await page.keyboard.press('Enter')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await inDialog(ann, t('common.cancel')).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => focused()).toBe(await button.getAttribute('aria-label'))
  await page.keyboard.press('Enter')
  await page.getByRole('searchbox', { name: t('members.search') }).click()
  await page.getByRole('menu').waitFor({ state: 'detached' })
})

test('a search for members without a match says so', async () => {
  await ann.page.getByRole('searchbox', { name: t('members.search') }).fill('zzz')
  await ann.reads(t('members.noneFound'))
  await looksGood(ann)
})

test('a team is created, filled, renamed and removed', async () => {
  await opensTab(ann, 'teams')
  await ann.fills({ [t('teams.name')]: 'Design' })
  await ann.presses(t('teams.create'))
  await ann.reads(t('teams.created', { team: 'Design' }))
  await looksGood(ann)
  await ann.follows('Design')
  await ann.sees('Design')
  await ann.reads(t('teams.empty'))
  await ann.page.getByRole('searchbox', { name: t('members.search') }).fill('bob')
  await ann.presses(t('teams.addName', { name: 'Bob' }))
  await ann.reads(t('teams.added', { name: 'Bob' }))
  await ann.reads(t('teams.addNone'))
  await looksGood(ann)
  await ann.chooses('Bob', t('teams.removeMemberName', { name: 'Bob' }))
  await ann.reads(t('teams.memberRemoved', { name: 'Bob' }))
  await ann.fills({ [t('teams.name')]: 'Research' })
  await ann.presses(t('common.save'))
  await ann.sees('Research')
  await ann.presses(t('teams.remove'))
  await inDialog(ann, t('teams.remove')).click()
  await ann.reads(t('teams.removed', { team: 'Research' }))
  await ann.sees(t('org.teams'))
})

test("a person is invited into an organization and one of the organization's teams at once", async () => {
  await opensTab(ann, 'invitations')
  await ann.fills({ [t('invite.emails')]: 'dan@example.com' })
  await ann.page.getByLabel(t('invite.role')).selectOption('admin')
  await ann.page.getByLabel(t('invite.team')).selectOption({ label: acme.organization })
  await ann.presses(t('invite.submit'))
  await ann.reads(t('invite.sent', { count: 1 }))
  const row = ann.page.locator('.row', { hasText: 'dan@example.com' })
  await row.getByText(t('orgs.asRole', { roles: t('role.admin') })).waitFor()
})

test("saved settings of an organization take effect, and the organization's pages move to the new slug", async () => {
  await opensTab(ann, 'settings')
  await ann.fills({ [t('field.name')]: '', [t('org.slug')]: 'no slug', [t('org.logoAddress')]: 'no address' })
  await ann.presses(t('common.save'))
  for (const key of ['org.nameMissing', 'org.slugInvalid', 'problem.pictureInvalid'] as const) await ann.reads(t(key))
  await looksGood(ann)
  await ann.fills({ [t('field.name')]: 'Emca', [t('org.slug')]: 'emca', [t('org.logoAddress')]: 'https://example.com/logo.png' })
  await ann.presses(t('common.save'))
  await ann.page.waitForURL('**/account/organizations/emca/settings')
  await ann.reads(t('common.saved'))
  await ann.page.locator('.org-name', { hasText: 'Emca' }).waitFor()
  expect(await ann.page.getByLabel(t('org.logoAddress')).inputValue()).toBe('https://example.com/logo.png')
  await ann.open('/account/organizations/acme')
  await ann.sees(t('org.notFound.title'))
  await looksGood(ann)
})

test('a member leaves an organization after a confirmation, and the only owner cannot leave', async () => {
  await bob.open('/account/organizations/emca')
  await bob.presses(t('org.leave'))
  const dialog = bob.page.getByRole('dialog', { name: t('org.leaveTitle', { organization: 'Emca' }) })
  await dialog.waitFor()
  await bob.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await bob.presses(t('org.leave'))
  await inDialog(bob, t('org.leaveSubmit')).click()
  await bob.reads(t('org.left', { organization: 'Emca' }))
  await bob.sees(t('account.organizations'))
  await bob.open('/account/organizations/emca')
  await bob.sees(t('org.notFound.title'))
  await ann.open('/account/organizations/emca')
  await ann.reads(t('org.leaveOnlyOwner'))
  expect(await ann.page.getByRole('button', { name: t('org.leave') }).count()).toBe(0)
})

test('deleting an organization requires its full slug', async () => {
  await ann.open('/account/organizations/emca/settings')
  await ann.presses(t('org.delete'))
  const confirm = t('org.deleteConfirm', { slug: 'emca' })
  await ann.fills({ [confirm]: 'emc' })
  await ann.presses(t('org.deleteSubmit'))
  await ann.reads(t('org.deleteWrong'))
  await looksGood(ann)
  await ann.fills({ [confirm]: 'emca' })
  await ann.presses(t('org.deleteSubmit'))
  await ann.page.waitForURL('**/account/organizations')
  await ann.reads(t('org.deleted', { organization: 'Emca' }))
  await ann.reads(t('orgs.none.title'))
})

test('the pages of an organization change their language without a reload', async () => {
  await ann.page.getByLabel(t('common.language')).selectOption('pl')
  const polish = await loadI18n('pl', [], ['account', 'organizations'])
  await ann.page.getByText(polish.t('orgs.none.title')).waitFor()
  await ann.page.getByRole('heading', { level: 1, name: polish.t('account.organizations') }).waitFor()
})

test('no page of an organization reported an error or a policy violation', () => {
  expect([...ann.problems(), ...bob.problems()]).toEqual([])
})

test('a member who may invite sees the number of seats and of taken seats on the page of members', async () => {
  const entitlements = [{ name: 'seats', product: 'prod_team', quantity: 'seats' }]
  const sold = await testApp(selling({ freeSeats: 'unlimited', entitlements }))
  const owner = await sold.signedIn('cleo@example.com', 'Cleo')
  await sold.verify('cleo@example.com')
  const organizationId = await create(owner, 'sold')
  await tell(sold, 'subscription.active', { externalId: organizationId, productId: 'prod_team', seats: 3 })
  await owner.post('/organization/invite-member', { email: 'dan@example.com', role: 'member', organizationId })
  const cleo = await person(sold, browser, i18n, '/account/organizations/sold/members', 'cleo@example.com')
  const taken = t('seats.taken', { count: 2, seats: 3 })
  await cleo.page.getByText(`${taken} ${t('seats.members', { count: 1 })}, ${t('seats.invitations', { count: 1 })}.`).waitFor()
  await cleo.reads('cleo@example.com')
  expect(cleo.problems()).toEqual([])
  await cleo.leaves()
  await sold.stop()
})

test('the details of an organization show its plan, even without seats, and what making it active means in applications', async () => {
  const sold = await testApp(
    selling({ freeSeats: 'unlimited', entitlements: [{ name: 'pro', product: 'prod_pro', plan: 'Pro' }] }),
  )
  const owner = await sold.signedIn('cleo@example.com', 'Cleo')
  await sold.verify('cleo@example.com')
  const organizationId = await create(owner, 'sold')
  await tell(sold, 'subscription.active', { externalId: organizationId, productId: 'prod_pro' })
  const cleo = await person(sold, browser, i18n, '/account/organizations/sold', 'cleo@example.com')
  const facts = cleo.page.getByRole('region', { name: t('org.details') })
  await facts.getByText('Pro', { exact: true }).waitFor()
  await facts.getByText(t('org.plan'), { exact: true }).waitFor()
  expect(await facts.getByText(t('org.seats'), { exact: true }).count()).toBe(0)
  await facts.getByText(t('org.useText', { organization: 'sold' })).waitFor()
  await facts.getByRole('button', { name: t('orgs.use'), exact: true }).click()
  await cleo.reads(t('orgs.used', { organization: 'sold' }))
  await facts.getByText(t('orgs.active'), { exact: true }).waitFor()
  expect(await accessibilityFaults(cleo.page)).toEqual([])
  expect(cleo.problems()).toEqual([])
  await cleo.leaves()
  await sold.stop()
})

test('while organizations are off no page offers organizations', async () => {
  const off = await testApp({ config: { organizations: { enabled: false }, oidc: { rsaModulusLength: 2048 } } })
  await off.signedIn('eve@example.com', 'Eve')
  const eve = await person(off, browser, i18n, '/account', 'eve@example.com')
  await eve.sees(t('account.title'))
  expect(await eve.page.getByRole('link', { name: t('account.organizations') }).count()).toBe(0)
  await eve.open('/account/organizations')
  await eve.sees(t('notFound.title'))
  await eve.leaves()
  await off.stop()
})

test('an owner transfers the organization from the list of members and remains a member without the permissions of an owner', async () => {
  const owner = await app.signedIn('gina@example.com', 'Gina')
  await app.verify('gina@example.com')
  const organizationId = await create(owner, 'handed')
  await joined(app, organizationId, 'hugo@example.com', 'member')
  const gina = await person(app, browser, i18n, '/account/organizations/handed/members', 'gina@example.com')
  await gina.page.getByRole('button', { name: t('menu.actionsFor', { name: 'hugo' }) }).click()
  await gina.page.getByRole('menuitem', { name: t('members.transferName', { name: 'hugo' }) }).click()
  await gina.page
    .getByRole('dialog')
    .getByText(t('members.transferText', { name: 'hugo' }))
    .waitFor()
  expect(await accessibilityFaults(gina.page)).toEqual([])
  await gina.page
    .getByRole('dialog')
    .getByRole('button', { name: t('members.transferSubmit'), exact: true })
    .click()
  await gina.reads(t('members.transferred', { name: 'hugo' }))
  await gina.open('/account/organizations/handed')
  await gina.page.locator('.org-roles').getByText(t('role.admin'), { exact: true }).waitFor()
  expect(gina.problems()).toEqual([])
  await gina.leaves()
})
