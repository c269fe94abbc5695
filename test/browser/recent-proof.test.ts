/** The proof that pages ask for before a change that would secure the account for a thief, and the pages after a new password. */
import { expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { codeFor, register } from '../http/oidc/flow.ts'
import { password } from '../support/app.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { passkeySteps } from '../support/passkeys.ts'
import { withBrowser } from '../support/people.ts'

const english = await loadI18n('en', [], ['account', 'secondFactor', 'links'])
const { t } = english
const site = withBrowser()
const steps = passkeySteps(() => site.app)

test('a person without password and second factor proves their identity with a mailed code on the same page, and continues', async () => {
  const email = 'cas@example.com'
  await site.app.signedIn(email)
  await site.app.verify(email)
  const cas = await site.person(english, '/account', email)
  const { core, users } = site.app.app
  const { id } = await users.require(core.db, email)
  // The session started some time ago, in another browser.
  await core.transact(async (tx) => {
    await tx.knex('account').where({ user_id: id }).delete()
    const proofs = JSON.stringify([{ method: 'federated', at: new Date(0).toISOString(), factors: ['knowledge'] }])
    await tx.knex('session').where({ user_id: id }).update({ proofs })
  })
  await cas.open('/account/email')
  await cas.fills({ [t('field.newEmail')]: 'cas.new@example.com' })
  await cas.presses(t('email.change'))
  await cas.presses(t('code.send'))
  await site.app.mails()
  const code = /^\s*(\d{6})\s*$/m.exec((await site.app.mailTo(email, 'second-factor')).raw)?.[1] ?? ''
  await cas.fills({ [t('code.label')]: code })
  await cas.page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => site.app.mails().then(() => site.app.mailKinds(email))).toContain('change-email')
  expect(cas.problems()).toEqual([])
  await cas.leaves()
})

const newPassword = 'another long battery'
const newKey = { name: 'Nightly report', permissions: ['account:read'] }

test("after a password change the page names the person's API keys, and revokes an API key on request", async () => {
  const email = 'ann@example.com'
  const owner = await site.app.signedIn(email)
  await owner.post('/api-key/create', newKey)
  const ann = await site.person(english, '/account/password', email)
  await ann.fills({ [t('field.currentPassword')]: password, [t('field.newPassword')]: newPassword })
  await ann.presses(t('password.submit'))
  await ann.reads(t('password.doneOthers'))
  await ann.reads(t('apiKeys.lead'))
  await ann.presses(t('apiKeys.revokeName', { name: newKey.name }))
  await ann.presses(t('apiKeys.revoke'))
  await ann.reads(t('apiKeys.revoked', { name: newKey.name }))
  expect(await site.app.app.core.db.knex('api_key').select('id')).toEqual([])
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})

test('the sign-in after a reset by mail lists the remaining passkeys, providers and applications, and each can be removed on the page', async () => {
  const email = 'bea@example.com'
  const owner = await site.app.signedIn(email)
  await site.app.verify(email)
  expect((await owner.post('/api-key/create', newKey)).status).toBe(200)
  await steps.register(owner, createAuthenticator(), 'Telephone')
  const { core, users } = site.app.app
  const { id } = await users.require(core.db, email)
  const linked = { id: 'linked', user_id: id, provider_id: 'github', account_id: '7', created_at: core.clock.now() }
  await core.transact((tx) => tx.knex('account').insert({ ...linked, updated_at: core.clock.now() }))
  await codeFor(owner, await register(site.app, { name: 'Shop' }))
  await owner.post('/request-password-reset', { email, redirectTo: '/reset-password' })
  const { link } = await site.app.mailTo(email, 'reset-password')
  const bea = await site.person(english, link.replace(site.app.url, ''))
  await bea.fills({ [t('field.newPassword')]: newPassword })
  await bea.presses(t('reset.submit'))
  await bea.sees(t('reset.doneTitle'))
  await bea.follows(t('signIn.submit'))
  await bea.fills({ [t('field.email')]: email, [t('field.password')]: newPassword })
  await bea.presses(t('signIn.submit'))
  await bea.page.waitForURL('**/account/linked?review*')
  await bea.reads(t('signInMethods.review'))
  const removes = async (button: string, action: string, said: string) => {
    await bea.presses(button)
    await bea.page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
    await bea.reads(said)
  }
  const [passkey, provider, shop] = [{ name: 'Telephone' }, { provider: 'Github' }, { application: 'Shop' }]
  // The reset has already ended the person's API keys.
  expect(await core.db.knex('api_key').where({ user_id: id }).select('id')).toEqual([])
  await removes(t('passkeys.removeName', passkey), t('passkeys.remove'), t('passkeys.removed', passkey))
  const disconnects = t('signInMethods.removeName', provider)
  await removes(disconnects, t('signInMethods.remove'), t('signInMethods.removed', provider))
  await bea.follows(t('signInMethods.reviewApplications'))
  await removes(t('applications.removeName', shop), t('applications.remove'), t('applications.removed', shop))
  expect(bea.problems()).toEqual([])
  await bea.leaves()
})
