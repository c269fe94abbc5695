/** A person in a real browser, who reads the pages in their language. */
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import type { I18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, type TestOptions, testApp } from './app.ts'
import { accessibilityFaults, launchBrowser, type OpenPage, openPage } from './browser.ts'
import { dialect } from './database.ts'
import { secondsIn2026 } from './plans.ts'

/** Columns of many users, whose names begin with a word, for `fill`: none of them has a verified address. */
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
  /** Waits for a page by its title, and finds no accessibility fault on it. */
  sees(title: string): Promise<void>
  fills(fields: Readonly<Record<string, string>>): Promise<void>
  presses(name: string): Promise<void>
  /** Opens the menu of a row and chooses an action by its whole name. */
  chooses(of: string, action: string): Promise<void>
  follows(name: string): Promise<void>
  /** Waits for a text anywhere on the page. */
  reads(text: string): Promise<void>
  /** Has this browser signed in, without the form, and opens the account area. */
  signsIn(email: string, password?: string): Promise<void>
  /** The same as a person does it: on the sign-in page. */
  signsInOnPage(email: string, password?: string): Promise<void>
  /** Errors and policy violations; refused calls, which a browser reports too, are none. */
  problems(): readonly string[]
  leaves(): Promise<void>
}

/** Signs the browser in by a call: what the form does is known from `test/browser/account.test.ts`, and costs a page each time. */
const signIn = async (app: TestApp, context: BrowserContext, email: string, secret: string) => {
  const answer = await context.request.post(`${app.url}/sign-in/email`, {
    data: { email, password: secret },
    headers: { origin: app.url },
  })
  expect(answer.status(), await answer.text()).toBe(200)
}

/** A browser of somebody who opens a page: signed in already where `email` names an account. */
export const person = async (
  app: TestApp,
  browser: Browser,
  { t, locale }: I18n,
  from = '/sign-in',
  email?: string,
): Promise<Person> => {
  const { page, problems } = await openPage(browser, `${app.url}${from}`, {
    locale,
    // What fades in has its contrast from the start.
    reducedMotion: 'reduce',
    ...(email === undefined ? {} : { before: (context) => signIn(app, context, email, password) }),
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

/** An instance and a browser for the tests of a file: made before the first of them, ended after the last. */
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
    /** There from the first test on. */
    get app() {
      return app
    },
    get browser() {
      return browser
    },
    person: (i18n: I18n, from?: string, email?: string): Promise<Person> => person(app, browser, i18n, from, email),
  }
}
