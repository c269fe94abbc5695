/** The texts that a banned person reads when they sign in, in two of the languages. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { systemPrincipal } from '../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'

let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  browser = await launchBrowser()
  await app.signedIn('banned@example.com')
  await app.app.administration.ban(systemPrincipal('test'), 'banned@example.com', 'fraud', undefined)
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

test.each(['en', 'uk'] as const)(
  'a banned person reads about the ban on the sign-in page and the error page: %s',
  async (locale) => {
    const i18n = await loadI18n(locale, [], ['links'])
    const { t } = i18n
    const guest = await person(app, browser, i18n)
    await guest.fills({ [t('field.email')]: 'banned@example.com', [t('field.password')]: password })
    await guest.presses(t('signIn.submit'))
    await guest.reads(t('problem.banned'))
    await guest.open('/error?error=banned')
    await guest.sees(t('error.banned.title'))
    await guest.reads(t('error.banned.text'))
    expect(guest.problems()).toEqual([])
    await guest.leaves()
  },
)
