import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { systemPrincipal } from '../../src/access/principal.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { drawnByScript, launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../support/social/fake-github.ts'
import { outbound } from '../support/social/listen.ts'

const i18n = await loadI18n('en', [], ['account', 'links'])
const { t } = i18n
const github = { provider: 'GitHub' }
const many = ['google', 'microsoft', 'facebook', 'discord', 'gitlab', 'twitch']

let hub: FakeGitHub
let browser: Browser
const running: TestApp[] = []
const start = async (config: Record<string, unknown>) => {
  const app = await testApp({ config: { outbound, oidc: { rsaModulusLength: 2048 }, ...config } })
  running.push(app)
  return app
}
beforeAll(async () => {
  hub = await startGitHub()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await Promise.all(running.map((app) => app.stop()))
  await hub?.stop()
})

const noPassword = { emailPasswordEnabled: false, signUpEnabled: true }

test('without passwords the sign-in page shows no form and does not say that sign-up is closed', async () => {
  const app = await start({
    accounts: noPassword,
    mailSignIn: { enabled: true },
    social: { github: hub.section, google: { clientId: 'g', clientSecret: 'secret' } },
  })
  const guest = await person(app, browser, i18n)
  await guest.sees(t('signIn.title'))
  expect(await guest.page.locator('input').count()).toBe(0)
  await guest.page.getByRole('link', { name: t('signIn.byMail') }).waitFor()
  expect(await guest.page.getByRole('link', { name: t('signIn.signUp') }).count()).toBe(0)
  await guest.open('/sign-up')
  await guest.sees(t('signUp.title'))
  await guest.page.getByRole('button', { name: t('social.continueWith', github), exact: true }).waitFor()
  expect(await guest.page.locator('input').count()).toBe(0)
  expect(guest.problems()).toEqual([])
  await guest.leaves()
})

describe('the sign-in page with social.autoRedirect', () => {
  test('the sign-in page with one provider redirects to the provider at once, but not after an error or a sign-out', async () => {
    const app = await start({ accounts: noPassword, social: { github: hub.section, autoRedirect: true } })
    hub.state.consents = false
    const octo = await person(app, browser, i18n)
    await octo.sees(t('error.denied.title'))
    await octo.follows(t('common.toSignIn'))
    await octo.sees(t('signIn.title'))
    hub.state.consents = true
    hub.state.person = githubPerson(7, 'octo@example.com')
    await octo.presses(t('social.continueWith', github))
    await octo.sees(t('account.title'))
    await octo.presses(t('account.signOut'))
    await octo.sees(t('signIn.title'))
    await octo.page.reload()
    await octo.sees(t('signIn.title'))
    await octo.leaves()
    const other = await person(app, browser, i18n)
    await other.sees(t('account.title'))
    await other.leaves()
  })

  test('the sign-in page does not redirect to a provider while passwords are on', async () => {
    const app = await start({ social: { github: hub.section, autoRedirect: true } })
    const guest = await person(app, browser, i18n)
    await guest.sees(t('signIn.title'))
    await guest.page.getByLabel(t('field.password'), { exact: true }).waitFor()
    await guest.leaves()
  })
})

test('the sign-in page shows four providers and the others on request, and always shows and marks the last used provider', async () => {
  const social = Object.fromEntries(many.map((id) => [id, { clientId: id, clientSecret: 'secret' }]))
  const app = await start({ accounts: { signUpEnabled: true }, social: { ...social, github: hub.section } })
  hub.state.consents = false
  const octo = await person(app, browser, i18n)
  await octo.sees(t('signIn.title'))
  await drawnByScript(octo.page)
  const buttons = octo.page.locator('.social-buttons .button-secondary')
  await expect.poll(() => buttons.count()).toBe(4)
  const before = await octo.page.evaluate<string[]>(
    `[...document.querySelectorAll('.social, .card-foot')].map((one) => one.className)`,
  )
  expect(before).toEqual(['social', 'card-foot'])
  await octo.presses(t('social.more'))
  await expect.poll(() => buttons.count()).toBe(7)
  const fifth = await buttons.nth(4).getAttribute('aria-label')
  await octo.page.waitForFunction(`document.activeElement.getAttribute('aria-label') === '${fifth}'`)
  await octo.presses(t('social.continueWith', github))
  await octo.sees(t('error.denied.title'))
  await octo.open('/sign-in')
  await octo.sees(t('signIn.title'))
  await drawnByScript(octo.page)
  await expect.poll(() => buttons.count()).toBe(4)
  await octo.page.getByRole('button', { name: `GitHub ${t('social.lastUsed')}`, exact: true }).waitFor()
  expect(octo.problems()).toEqual([])
  await octo.leaves()
})

test('an administrator sees the next set-up steps until the steps are done or dismissed, and other people never see them', async () => {
  const app = await start({ accounts: { signUpEnabled: true } })
  await app.signedIn('ann@example.com')
  await app.app.core.db.knex('user').where({ email: 'ann@example.com' }).update({ role: 'admin' })
  await app.signedIn('bob@example.com')
  const bob = await person(app, browser, i18n, '/account', 'bob@example.com')
  await bob.sees(t('account.title'))
  expect(await bob.page.getByText(t('firstSteps.title')).count()).toBe(0)
  await bob.leaves()
  const ann = await person(app, browser, i18n, '/account', 'ann@example.com')
  const region = ann.page.locator('section', { hasText: t('firstSteps.title') }).last()
  await region.waitFor()
  await region.getByText(t('firstSteps.lead', { done: 0, count: 7 })).waitFor()
  await ann.sees(t('account.title'))
  await app.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Shop',
    type: 'web',
    redirectUris: ['https://shop.example/cb'],
  })
  await ann.page.reload()
  await region.getByText(t('firstSteps.lead', { done: 1, count: 7 })).waitFor()
  expect(await region.getByRole('link', { name: t('firstSteps.open') }).getAttribute('href')).toBe('/admin')
  await ann.presses(t('firstSteps.dismiss'))
  await region.waitFor({ state: 'detached' })
  await ann.page.reload()
  await ann.sees(t('account.title'))
  await ann.page.waitForLoadState('networkidle')
  expect(await ann.page.getByText(t('firstSteps.title')).count()).toBe(0)
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})

test('the account area links to the console only for people with an instance permission', async () => {
  const app = await start({ accounts: { signUpEnabled: true }, access: { roles: { guest: { permissions: [] } } } })
  for (const [email, role] of Object.entries({
    'ann@example.com': 'support',
    'bob@example.com': 'user',
    'cy@example.com': 'guest',
  })) {
    await app.signedIn(email)
    await app.app.core.db.knex('user').where({ email }).update({ role })
    const one = await person(app, browser, i18n, '/account', email)
    await one.sees(t('account.title'))
    await one.page.waitForLoadState('networkidle')
    const link = one.page
      .getByRole('navigation', { name: t('account.sections') })
      .getByRole('link', { name: t('account.console') })
    expect(await link.count(), role).toBe(role === 'support' ? 1 : 0)
    if (role === 'support') {
      await link.click()
      await one.page.waitForURL('**/admin/**')
    }
    await one.leaves()
  }
})
