/** A person in a real browser who reads the pages in their language. */
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import type { I18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, type TestOptions, testApp } from './app.ts'
import { accessibilityFaults, launchBrowser, type OpenPage, openPage } from './browser.ts'
import { dialect } from './database.ts'
import { secondsIn2026 } from './plans.ts'

/** Columns of many users for `fill`. Their names begin with a word, and their addresses are not verified. */
export const userColumns = (word: string): Readonly<Record<string, string>> => {
  const [no, at] = [dialect === 'sqlite' ? '0' : 'false', secondsIn2026]
  return {
    ...{ id: `'${word}' || n.n`, name: `'${word} ' || n.n`, email: `'${word}' || n.n || '@many.example'`, role: "'user'" },
    ...{ email_version: '0', email_verified: no, email_ever_verified: no, created_at: at, updated_at: at },
  }
}

export interface Person {
  readonly page: OpenPage['page']
  readonly t: I18n['t']
  open(path: string): Promise<void>
  /** Waits for a page by its title. Fails if the page has an accessibility fault. */
  sees(title: string): Promise<void>
  fills(fields: Readonly<Record<string, string>>): Promise<void>
  presses(name: string): Promise<void>
  /** Opens the menu of a row and chooses an action by its full name. */
  chooses(of: string, action: string): Promise<void>
  follows(name: string): Promise<void>
  /** Waits for a text anywhere on the page. */
  reads(text: string): Promise<void>
  /** Signs this browser in by a call, without the form, and opens the account area. */
  signsIn(email: string, password?: string): Promise<void>
  /** Signs this browser in on the sign-in page, as a person does. */
  signsInOnPage(email: string, password?: string): Promise<void>
  /** Errors and policy violations on the page. Refused calls, which browsers also report, are left out. */
  problems(): readonly string[]
  leaves(): Promise<void>
}

/** Signs the browser in by a call, which saves a page each time. `test/browser/account.test.ts` covers the form. */
const signIn = async (app: TestApp, context: BrowserContext, email: string, secret: string) => {
  const answer = await context.request.post(`${app.url}/sign-in/email`, {
    data: { email, password: secret },
    headers: { origin: app.url },
  })
  expect(answer.status(), await answer.text()).toBe(200)
}

/** Opens a page in a new browser, which `before` can prepare. If `email` names an account, the browser is signed in. */
export const person = async (
  app: TestApp,
  browser: Browser,
  { t, locale }: I18n,
  from = '/sign-in',
  email?: string,
  before: (context: BrowserContext) => Promise<void> = async () => undefined,
): Promise<Person> => {
  const { page, problems } = await openPage(browser, new URL(from, app.url).href, {
    locale,
    // Without animations, text has its full contrast at once.
    reducedMotion: 'reduce',
    before: async (context) => {
      await before(context)
      if (email !== undefined) await signIn(app, context, email, password)
    },
  })
  const self: Person = {
    page,
    t,
    open: async (path) => void (await page.goto(new URL(path, app.url).href)),
    sees: async (title) => {
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
      expect(await page.getAttribute('html', 'lang')).toBe(locale)
      expect(await accessibilityFaults(page), page.url()).toEqual([])
    },
    fills: async (fields) => {
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
    },
    presses: (name) => page.getByRole('button', { name, exact: true }).click(),
    chooses: async (name, action) => {
      await self.presses(t('menu.actionsFor', { name }))
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    },
    follows: (name) => page.getByRole('link', { name, exact: true }).click(),
    reads: (text) => page.getByText(text).first().waitFor(),
    signsIn: async (email, secret = password) => {
      await signIn(app, page.context(), email, secret)
      await self.open('/account')
    },
    signsInOnPage: async (email, secret = password) => {
      await self.open('/sign-in')
      await self.fills({ [t('field.email')]: email, [t('field.password')]: secret })
      await self.presses(t('signIn.submit'))
      await page.waitForURL('**/account')
    },
    problems: () => problems.filter((text) => !text.startsWith('Failed to load resource')),
    leaves: () => page.context().close(),
  }
  return self
}

/** An instance and a browser for all tests of a file. They start before the first test and end after the last one. */
export const withBrowser = (options: TestOptions = {}) => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await testApp(options)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })
  return {
    /** The instance. Undefined until the first test begins. */
    get app() {
      return app
    },
    get browser() {
      return browser
    },
    person: (i18n: I18n, from?: string, email?: string): Promise<Person> => person(app, browser, i18n, from, email),
  }
}
