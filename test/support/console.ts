/** Actions of people in the console, in a real browser. */
import { mkdirSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import { type I18n, loadI18n } from '../../admin-ui/shared/i18n.ts'
import type { TestApp, TestOptions } from './app.ts'
import { screenshot } from './browser.ts'
import { canBeFollowed, listens } from './followed-page.ts'
import { pressesByKeys, reaches } from './keys.ts'
import { type Person, person, withBrowser } from './people.ts'

/** Texts of the console, and of the pages that lead to it. */
export const consoleTexts = await loadI18n(
  'en',
  [],
  [
    ...([
      'console',
      'consoleApplications',
      'consoleFindings',
      'consoleHistory',
      'consoleLists',
      'consoleMail',
      'consoleOverview',
      'consolePeople',
      'consoleReasons',
      'consoleSettings',
    ] as const),
    ...(['consoleSystem', 'consoleOrganizations', 'account', 'secondFactor'] as const),
  ],
)

/** Makes users with these names and roles on the instance. The keys are their addresses. */
export const withUsers = async (
  app: TestApp,
  users: Readonly<Record<string, { readonly name: string; readonly role?: string }>>,
): Promise<void> => {
  for (const [email, { name, role = 'user' }] of Object.entries(users)) {
    await app.signedIn(email, name)
    await app.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  }
}

/** Opens an address of the console in the browser of a signed-in person. */
export const arrives = (
  app: TestApp,
  browser: Browser,
  email: string,
  path: string,
  texts: I18n = consoleTexts,
): Promise<Person> => person(app, browser, texts, path, email)

/** An instance with these users and a browser, for all tests of a file. */
export const withConsole = (users: Parameters<typeof withUsers>[1] = {}, options: TestOptions = {}) => {
  const house = withBrowser(options)
  beforeAll(() => withUsers(house.app, users))
  return {
    get app() {
      return house.app
    },
    get browser() {
      return house.browser
    },
    /** Opens an address of the console in the browser of a signed-in person. */
    arrives: (email: string, path: string, texts?: I18n) => arrives(house.app, house.browser, email, path, texts),
    /** Does the same. The page receives events, and its clock is moved by the test. */
    follows: async (email: string, path: string): Promise<Person> => {
      const who = await person(house.app, house.browser, consoleTexts, path, email, canBeFollowed)
      await listens(who.page)
      return who
    },
  }
}

/** Presses the button with this name by keyboard, in a part of the page. */
export const presses = (page: Page, name: string | RegExp, within = 'main'): Promise<void> =>
  pressesByKeys(page.locator(within).getByRole('button', { name, exact: typeof name === 'string' }))

/** Waits until a list has its rows. Then it moves the focus to the heading. */
export const settles = async (page: Page): Promise<void> => {
  await page.locator('table[aria-busy=false] tbody tr').first().waitFor()
  await reaches(page.locator('h1'))
}

/** Moves to the first row of a list by keyboard and opens its preview. */
export const peeks = async (page: Page): Promise<Locator> => {
  await settles(page)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const peek = page.getByRole('complementary', { name: consoleTexts.t('console.peek.region') })
  await peek.waitFor()
  return peek
}

const directory = process.env['GATEHOUSE_SCREENSHOTS']

/** Takes screenshots of a screen at three widths, light and dark. Only if GATEHOUSE_SCREENSHOTS names a directory for them. */
export const pictures = async (page: Page, name: string): Promise<void> => {
  if (directory === undefined) return
  mkdirSync(directory, { recursive: true })
  const before = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1024, 1600]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await screenshot(page, `${directory}/${name}-${width}-${colorScheme}.png`)
    }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (before !== null) await page.setViewportSize(before)
}
