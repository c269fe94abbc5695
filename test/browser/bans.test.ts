/** What a banned person reads when they sign in, in every language. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createI18n, type I18n } from '../../admin-ui/shared/i18n.ts'
import { de } from '../../admin-ui/shared/locales/de.ts'
import { en } from '../../admin-ui/shared/locales/en.ts'
import { es } from '../../admin-ui/shared/locales/es.ts'
import { fr } from '../../admin-ui/shared/locales/fr.ts'
import { pl } from '../../admin-ui/shared/locales/pl.ts'
import { ru } from '../../admin-ui/shared/locales/ru.ts'
import { tr } from '../../admin-ui/shared/locales/tr.ts'
import { uk } from '../../admin-ui/shared/locales/uk.ts'
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

const languages: readonly (readonly [I18n, typeof en])[] = [
  [createI18n('en', en), en],
  [createI18n('de', de), de],
  [createI18n('es', es), es],
  [createI18n('fr', fr), fr],
  [createI18n('pl', pl), pl],
  [createI18n('ru', ru), ru],
  [createI18n('tr', tr), tr],
  [createI18n('uk', uk), uk],
] as never

test.each(languages)('a banned person reads so on the sign-in page and the error page: %#', async (i18n, words) => {
  const guest = await person(app, browser, i18n)
  await guest.fills({ [words['field.email']]: 'banned@example.com', [words['field.password']]: password })
  await guest.presses(words['signIn.submit'])
  await guest.reads(words['problem.banned'])
  await guest.open('/error?error=banned')
  await guest.sees(words['error.banned.title'])
  await guest.reads(words['error.banned.text'])
  expect(guest.problems()).toEqual([])
  await guest.leaves()
})
