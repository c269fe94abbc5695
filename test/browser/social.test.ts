import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { mailTo } from '../support/mailbox.ts'
import { type Person, person } from '../support/people.ts'
import { type Smtp, startSmtp } from '../support/smtp.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../support/social/fake-github.ts'
import { outbound } from '../support/social/listen.ts'

const i18n = await loadI18n('en', [], ['account', 'links'])
const { t } = i18n
const github = { provider: 'GitHub' }
const email = 'octo@example.com'

let smtp: Smtp
let hub: FakeGitHub
let app: TestApp
let browser: Browser
let octo: Person
beforeAll(async () => {
  smtp = await startSmtp()
  hub = await startGitHub()
  app = await testApp({
    config: { outbound, smtpUrl: smtp.url, social: { github: hub.section }, oidc: { rsaModulusLength: 2048 } },
  })
  browser = await launchBrowser()
  octo = await person(app, browser, i18n)
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await hub?.stop()
  await smtp?.stop()
})

test('a person who denies access at the provider sees a message and can go back', async () => {
  await octo.sees(t('signIn.title'))
  hub.state.consents = false
  await octo.presses(t('social.continueWith', github))
  await octo.sees(t('error.denied.title'))
  await octo.follows(t('common.toSignIn'))
  await octo.sees(t('signIn.title'))
})

test('a person signs in through the provider and cannot remove the last sign-in method', async () => {
  hub.state.consents = true
  hub.state.person = githubPerson(7, email)
  await octo.presses(t('social.continueWith', github))
  await octo.sees(t('account.title'))
  await octo.follows(t('account.signInMethods'))
  await octo.reads(t('signInMethods.only'))
  await octo.sees(t('account.signInMethods'))
  expect(await octo.page.getByRole('button', { name: t('signInMethods.removeName', github) }).count()).toBe(0)
})

test('a person without a password sets one through a mailed link', async () => {
  await octo.follows(t('account.password'))
  await octo.reads(t('password.none'))
  await octo.sees(t('account.password'))
  await octo.presses(t('password.send'))
  await octo.open((await mailTo(smtp, email)).link)
  await octo.sees(t('reset.title'))
  await octo.fills({ [t('field.newPassword')]: 'correct horse battery' })
  await octo.presses(t('reset.submit'))
  await octo.sees(t('reset.doneTitle'))
  await octo.signsIn(email)
})

test('a person disconnects a provider after a confirmation and connects the provider again', async () => {
  await octo.follows(t('account.signInMethods'))
  await octo.presses(t('signInMethods.removeName', github))
  const dialog = octo.page.getByRole('dialog', { name: t('signInMethods.removeTitle', github) })
  await dialog.waitFor()
  await octo.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await octo.presses(t('signInMethods.removeName', github))
  await octo.sees(t('account.signInMethods'))
  await dialog.getByRole('button', { name: t('signInMethods.remove'), exact: true }).click()
  await octo.reads(t('signInMethods.removed', github))
  await octo.presses(t('signInMethods.connectName', github))
  await octo.page.waitForURL('**/account/linked?connected=github')
  await octo.reads(t('signInMethods.connected', github))
})

test('a provider account of another user is not connected, and the page where the person started says why', async () => {
  await octo.presses(t('signInMethods.removeName', github))
  await octo.page
    .getByRole('dialog')
    .getByRole('button', { name: t('signInMethods.remove'), exact: true })
    .click()
  await octo.reads(t('signInMethods.removed', github))
  hub.state.person = githubPerson(8, 'somebody@example.com')
  await octo.presses(t('signInMethods.connectName', github))
  await octo.reads(t('error.emailMismatch.text'))
  await octo.sees(t('account.signInMethods'))
})

test('no page of a sign-in through a provider reported an error or a policy violation', () => expect(octo.problems()).toEqual([]))
