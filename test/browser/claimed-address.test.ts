/** The page behind the mailed link of a password reset, opened by the owner of an address with which somebody else has made an account. */
import { expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { add, create } from '../http/organizations/people.ts'
import { withBrowser } from '../support/people.ts'

const english = await loadI18n('en', [], ['account', 'links'])
const { t } = english
const newPassword = 'another long battery'
const site = withBrowser({ config: { organizations: { creation: 'everybody' } } })

/** A stranger makes an account with the address and an organization in it, and the owner opens the link of a reset. */
const squatted = async (email: string, slug: string) => {
  const squatter = await site.app.signedIn(email)
  const organizationId = await create(squatter, slug)
  await squatter.post('/api-key/create', { name: 'Export', permissions: ['account:read'] })
  await add(site.app, organizationId, await site.app.signedIn(`accomplice@${slug}.example`, 'Accomplice'), 'owner')
  const { id, createdAt } = await site.app.app.users.require(site.app.app.core.db, email)
  await site.app.client().post('/request-password-reset', { email, redirectTo: '/reset-password' })
  const { link } = await site.app.mailTo(email, 'reset-password')
  const owner = await site.person(english, link.replace(site.app.url, ''))
  await owner.sees(t('reset.title'))
  await owner.reads(t('reset.claim.title'))
  await owner.reads(english.date(createdAt.toISOString()))
  await owner.reads(t('reset.claim.members', { count: 2 }))
  await owner.reads(t('reset.claim.keys', { count: 1 }))
  return { owner, id }
}

test("the owner of an email address sees the contents of a stranger's account with the address, and by default starts with a new account", async () => {
  const email = 'dee@example.com'
  const { owner, id } = await squatted(email, 'dees')
  expect(await owner.page.getByRole('radio', { name: t('reset.claim.start-fresh') }).isChecked()).toBe(true)
  await owner.fills({ [t('field.newPassword')]: newPassword })
  await owner.presses(t('reset.submit'))
  await owner.sees(t('reset.doneTitle'))
  expect((await site.app.app.users.require(site.app.app.core.db, email)).id).not.toBe(id)
  expect(owner.problems()).toEqual([])
  await owner.leaves()
})

test("the owner of an email address who takes over a stranger's account sees the other members of its organizations", async () => {
  const email = 'eli@example.com'
  const { owner, id } = await squatted(email, 'elis')
  await owner.page.getByRole('radio', { name: t('reset.claim.take-over') }).check()
  await owner.fills({ [t('field.newPassword')]: newPassword })
  await owner.presses(t('reset.submit'))
  await owner.sees(t('reset.doneTitle'))
  await owner.reads(t('reset.claim.membersOf', { name: 'elis' }))
  await owner.reads('accomplice@elis.example')
  expect((await site.app.app.users.require(site.app.app.core.db, email)).id).toBe(id)
  expect(owner.problems()).toEqual([])
  await owner.leaves()
})
