import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import deTexts from '../../admin-ui/locales/pages/de.json' with { type: 'json' }
import enTexts from '../../admin-ui/locales/pages/en.json' with { type: 'json' }
import frTexts from '../../admin-ui/locales/pages/fr.json' with { type: 'json' }
import plTexts from '../../admin-ui/locales/pages/pl.json' with { type: 'json' }
import trTexts from '../../admin-ui/locales/pages/tr.json' with { type: 'json' }
import { createI18n } from '../../admin-ui/shared/i18n.ts'
import { languageCodes } from '../../src/core/locale.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { drawnByScript, launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'

const { pages: de, links: deLinks } = deTexts
const { pages: en } = enTexts
const { pages: fr } = frTexts
const { pages: pl } = plTexts
const { pages: tr } = trTexts

let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const polish = createI18n('pl', pl)
const title = (name: string) => ({ level: 1, name, exact: true }) as const

test('the sign-in page stays within its byte budget in every language', async () => {
  for (const locale of ['en', 'ru', 'uk']) {
    const context = await browser.newContext({ locale })
    const page = await context.newPage()
    const sizes: Promise<number>[] = []
    page.on('response', (answer) => {
      if (answer.url().endsWith('.js')) sizes.push(answer.body().then((body) => gzipSync(body, { level: 9 }).length))
    })
    await page.goto(`${app.url}/sign-in`, { waitUntil: 'networkidle' })
    expect(sizes.length).toBeLessThan(3)
    await drawnByScript(page)
    await page.waitForLoadState('networkidle')
    expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(96_000)
    await context.close()
  }
})

test('a page uses the language of the browser unless the application asked for another one', async () => {
  const guest = await person(app, browser, polish)
  await guest.sees(pl['signIn.title'])
  await guest.open('/sign-in?ui_locales=xx%20fr-CA')
  await guest.page.getByRole('heading', title(fr['signIn.title'])).waitFor()
  expect(await guest.page.getAttribute('html', 'lang')).toBe('fr')
  await guest.follows(fr['signIn.signUp'])
  await guest.page.getByRole('heading', title(fr['signUp.title'])).waitFor()
  await guest.leaves()
})

test('choosing a language changes the page at once, keeps typed text, and is remembered', async () => {
  const guest = await person(app, browser, polish, '/sign-in?ui_locales=fr')
  await guest.page.getByLabel(fr['field.email'], { exact: true }).fill('ann@example.com')
  await guest.page.getByLabel(fr['common.language']).selectOption('de')
  await guest.page.getByRole('heading', title(de['signIn.title'])).waitFor()
  expect(await guest.page.getByLabel(de['field.email'], { exact: true }).inputValue()).toBe('ann@example.com')
  expect(await guest.page.getAttribute('html', 'lang')).toBe('de')
  expect(await guest.page.title()).toContain(de['signIn.title'])
  await guest.follows(de['signIn.forgot'])
  await guest.page.getByRole('heading', title(deLinks['forgot.title'])).waitFor()
  await guest.open('/sign-in')
  await guest.page.getByRole('heading', title(de['signIn.title'])).waitFor()
  await guest.leaves()
})

test('a signed-in person reads every page in their own language', async () => {
  const client = await app.signedIn('ann@example.com')
  const ann = await person(app, browser, polish, '/account/profile', 'ann@example.com')
  await ann.page.getByLabel(pl['field.language'], { exact: true }).selectOption('tr')
  await ann.presses(pl['common.save'])
  await ann.page.getByText(tr['common.saved']).waitFor()
  expect((await client.api.sessions.getSession())?.user.language).toBe(languageCodes.tr)
  await ann.leaves()

  const elsewhere = await person(app, browser, createI18n('en', en), '/account', 'ann@example.com')
  await elsewhere.page.getByRole('heading', title(tr['account.title'])).waitFor()
  await elsewhere.page.getByLabel(tr['common.language'], { exact: true }).selectOption('de')
  await elsewhere.page.getByRole('heading', title(de['account.title'])).waitFor()
  await expect.poll(async () => (await client.api.sessions.getSession())?.user.language).toBe(languageCodes.de)
  expect([...ann.problems(), ...elsewhere.problems()]).toEqual([])
  await elsewhere.leaves()
})
