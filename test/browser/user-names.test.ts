import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'

let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { accounts: { userNames: { mode: 'optional' } } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

test('a person signs up with a user name, signs in with the user name or the email address, and changes the user name', async () => {
  const i18n = await loadI18n('en', [], ['account', 'userNames'])
  const { t } = i18n
  const ann = await person(app, browser, i18n, '/sign-up')
  await ann.sees(t('signUp.title'))
  await ann.fills({ [t('field.name')]: 'Ann', [t('field.email')]: 'ann@example.com', [t('field.password')]: password })
  await ann.fills({ [t('field.username')]: 'admin' })
  await ann.presses(t('signUp.submit'))
  await ann.reads(t('serverError.USERNAME_IS_ALREADY_TAKEN'))
  await ann.fills({ [t('field.username')]: 'Ann.Example' })
  await ann.presses(t('signUp.submit'))
  await ann.page.waitForURL('**/account')
  await ann.reads('ann.example')
  await ann.page.request.post(`${app.url}/sign-out`, { data: {}, headers: { origin: app.url } })

  await ann.open('/sign-in')
  const field = ann.page.getByLabel(t('field.emailOrName'), { exact: true })
  expect(await field.getAttribute('autocomplete')).toContain('username')
  await ann.presses(t('signIn.submit'))
  await ann.reads(t('problem.valueMissing'))
  await ann.fills({ [t('field.emailOrName')]: 'ANN.example', [t('field.password')]: 'not the password' })
  await ann.presses(t('signIn.submit'))
  await ann.reads(t('serverError.INVALID_USERNAME_OR_PASSWORD'))
  await ann.fills({ [t('field.password')]: password })
  await ann.presses(t('signIn.submit'))
  await ann.page.waitForURL('**/account')

  await ann.open('/account/profile')
  await ann.fills({ [t('field.username')]: 'a b' })
  await ann.presses(t('common.save'))
  await ann.reads(t('serverError.INVALID_USERNAME'))
  await ann.fills({ [t('field.username')]: 'annie' })
  await ann.presses(t('common.save'))
  await ann.reads(t('common.saved'))
  const { user } = await (await ann.page.request.get(`${app.url}/get-session`)).json()
  expect(user).toMatchObject({ username: 'annie', displayUsername: 'annie' })
  await ann.page.request.post(`${app.url}/sign-out`, { data: {}, headers: { origin: app.url } })

  await ann.open('/sign-in')
  await ann.fills({ [t('field.emailOrName')]: 'ann@example.com', [t('field.password')]: password })
  await ann.presses(t('signIn.submit'))
  await ann.page.waitForURL('**/account')
})
