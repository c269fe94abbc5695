import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { systemPrincipal } from '../../src/access/principal.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Person, person } from '../support/people.ts'

const i18n = await loadI18n('de', [], ['account', 'organizations'])
const { t } = i18n
const email = 'ann@example.com'

let app: TestApp
let browser: Browser
let ann: Person
beforeAll(async () => {
  app = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  browser = await launchBrowser()
  await app.signedIn(email)
  await app.verify(email)
  const bob = await app.signedIn('bob@example.com')
  await app.verify('bob@example.com')
  for (const [slug, owner] of [
    ['acme', email],
    ['gamma', 'bob@example.com'],
  ] as const)
    await app.app.organizations.createFor(systemPrincipal('test'), { name: slug, slug }, owner, true)
  const { id } = await app.app.core.db.knex('organization').where({ slug: 'gamma' }).first('id')
  await bob.post('/organization/invite-member', { email, role: 'member', organizationId: id })
  const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' }
  await app.client().post('/sign-in/email', { email, password: 'not the right one' }, firefox)
  await app.app.signInFailures?.settled()
  ann = await person(app, browser, i18n, '/account', email)
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

test('the overview of the account shows sign-in methods, the last sign-ins with their results, and devices', async () => {
  await ann.reads(t('overview.set'))
  await ann.reads(t('overview.failed'))
  await ann.reads(t('account.deviceText', { browser: 'Firefox', system: 'Windows' }))
  await ann.reads(t('devices.current'))
  await ann.sees(t('account.title'))
})

test('a person accepts an invitation on the overview of the account', async () => {
  await ann.presses(t('orgs.acceptName', { organization: 'gamma' }))
  await ann.reads(t('orgs.accepted', { organization: 'gamma' }))
  await ann.sees(t('account.title'))
})

test('the link that deletes the account is at the foot of the profile, and its page first names organizations that need another owner', async () => {
  await ann.follows(t('account.profile'))
  await ann.follows(t('account.delete'))
  await ann.reads(t('delete.onlyOwner'))
  await ann.sees(t('account.delete'))
  expect(await ann.page.getByRole('button', { name: t('delete.submit') }).count()).toBe(0)
  await ann.follows(t('delete.handOverName', { organization: 'acme' }))
  await ann.sees(t('org.members'))
})

test('a member has exactly one role if the configuration has no roles of its own', async () => {
  await ann.chooses('Ann Example', t('members.changeName', { name: 'Ann Example' }))
  const dialog = ann.page.getByRole('dialog')
  await expect.poll(() => dialog.getByRole('radio').count()).toBe(3)
  expect(await dialog.getByRole('checkbox').count()).toBe(0)
  await ann.sees(t('org.members'))
  await ann.page.keyboard.press('Escape')
  expect(ann.problems()).toEqual([])
})
