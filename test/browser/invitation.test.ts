import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { mailTo } from '../support/mailbox.ts'
import { type Person, person } from '../support/people.ts'
import { type Smtp, startSmtp } from '../support/smtp.ts'

const i18n = await loadI18n('en', [], ['account', 'organizations'])
const { t } = i18n
const acme = { organization: 'Acme <b>Corporation' }

let smtp: Smtp
let app: TestApp
let browser: Browser
let owner: Client
beforeAll(async () => {
  smtp = await startSmtp()
  app = await testApp({
    config: {
      smtpUrl: smtp.url,
      accounts: { newDeviceMail: false },
      oidc: { rsaModulusLength: 2048 },
      // Shorter than the life of a session, so that an invitation expires while the session is still valid.
      organizations: { invitationTtlSeconds: 172_800 },
    },
  })
  browser = await launchBrowser()
  owner = await app.signedIn('ann@example.com', 'Ann')
  await app.verify('ann@example.com')
  await owner.api.organizations.createOrganization({ body: { name: acme.organization, slug: 'acme' } })
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await smtp?.stop()
})

/** Invites an address. Returns the invitation and the link from its mailbox. */
const invite = async (email: string, mails = 1) => {
  const invitation = await owner.api.invitations.inviteMember({ body: { email, role: 'member' } })
  return { invitation, link: (await mailTo(smtp, email, mails)).link }
}

const seen = new Set<Person>()
const visitor = async (link: string): Promise<Person> => {
  const guest = await person(app, browser, i18n, link.slice(app.url.length))
  seen.add(guest)
  return guest
}

const landsInAcme = async (guest: Person) => {
  await guest.page.waitForURL('**/account/organizations/acme')
  await guest.sees(acme.organization)
}

test('a person without an account opens the mailed link, signs up and is a member of the organization', async () => {
  const { link } = await invite('bob@example.com')
  expect(new URL(link).pathname).toMatch(/^\/invitation\/[\w-]+$/)
  const bob = await visitor(link)
  await bob.sees(t('invitation.join', acme))
  await bob.reads('bob@example.com')
  await bob.reads(t('orgs.asRole', { roles: t('role.member') }))
  expect(await bob.page.getByLabel(t('field.email'), { exact: true }).count()).toBe(0)

  // The proof of the invitation is not in the address bar, and a reload does not lose it.
  expect(new URL(bob.page.url()).search).toBe('')
  await bob.page.reload()
  await bob.sees(t('invitation.join', acme))
  await bob.presses(t('invitation.signUp'))
  await bob.reads(t('problem.nameMissing'))
  await bob.reads(t('problem.passwordMissing'))
  await bob.sees(t('invitation.join', acme))
  await bob.fills({ [t('field.name')]: 'Bob', [t('field.password')]: password })
  await bob.presses(t('invitation.signUp'))
  await landsInAcme(bob)
  await bob.open('/account')
  await bob.reads(t('account.verified'))
})

test('an invited person with an account signs in with the email address filled in, returns and accepts', async () => {
  const client = await app.signedIn('cleo@example.com', 'Cleo')
  const { link } = await invite('cleo@example.com')
  const cleo = await visitor(link)
  await cleo.sees(t('invitation.join', acme))
  await cleo.reads(t('invitation.signInHint'))
  await cleo.follows(t('invitation.signIn'))
  await cleo.sees(t('signIn.title'))
  // The form arrives with the first byte, and the script fills it in.
  await expect.poll(() => cleo.page.getByLabel(t('field.email'), { exact: true }).inputValue()).toBe('cleo@example.com')
  await cleo.fills({ [t('field.password')]: password })
  await cleo.presses(t('signIn.submit'))
  await cleo.sees(t('invitation.join', acme))
  await cleo.presses(t('orgs.accept'))
  await landsInAcme(cleo)
  // The link came from the mailbox, so the address counts as verified, even though a sign-in came in between.
  expect((await client.api.sessions.getSession())?.user.emailVerified).toBe(true)
  await cleo.open(link)
  await cleo.sees(t('invitation.acceptedTitle'))
})

test('a person signed in with another email address is told so, and can switch accounts without losing the invitation', async () => {
  await app.signedIn('dan@example.com', 'Dan')
  await app.signedIn('other@example.com', 'Dan')
  const { link } = await invite('dan@example.com')
  const dan = await visitor(`${app.url}/sign-in`)
  await dan.signsIn('other@example.com')
  await dan.open(link)
  await dan.sees(t('invitation.join', acme))
  const text = await dan.page.locator('.lead').textContent()
  expect(text).toBe(t('invitation.other', { email: 'dan@example.com', account: 'other@example.com' }))
  expect(await dan.page.getByRole('button', { name: t('orgs.accept') }).count()).toBe(0)
  await dan.presses(t('invitation.switch'))
  await dan.follows(t('invitation.signIn'))
  await dan.fills({ [t('field.password')]: password })
  await dan.presses(t('signIn.submit'))
  await dan.sees(t('invitation.join', acme))
  await dan.presses(t('orgs.decline'))
  await dan.sees(t('invitation.declinedTitle'))
  await dan.open(link)
  await dan.sees(t('invitation.rejectedTitle'))
})

test('a withdrawn, an expired and an unknown invitation each have a page that says so and whom to ask', async () => {
  const canceled = await invite('eve@example.com')
  await owner.api.invitations.cancelInvitation({ body: { invitationId: canceled.invitation.id } })
  const eve = await visitor(canceled.link)
  await eve.sees(t('invitation.canceledTitle'))
  await eve.reads(t('invitation.canceledText', { inviter: 'Ann', ...acme }))

  const expired = await invite('eve@example.com', 2)
  app.clock.advance({ hours: 49 })
  await eve.open(expired.link)
  await eve.sees(t('invitation.expiredTitle'))
  await eve.reads(t('invitation.expiredText', { inviter: 'Ann', ...acme }))

  await eve.open('/invitation/nothing')
  await eve.sees(t('invitation.unknownTitle'))
  await eve.follows(t('common.toSignIn'))
  await eve.sees(t('signIn.title'))
})

test('no page of an invitation reported an error or a policy violation', () => {
  expect([...seen].flatMap((guest) => guest.problems())).toEqual([])
})
