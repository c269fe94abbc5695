import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import enAccount from '../../admin-ui/locales/account/en.json' with { type: 'json' }
import enTexts from '../../admin-ui/locales/pages/en.json' with { type: 'json' }
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { states } from '../../admin-ui/states/all.ts'
import type { State } from '../../admin-ui/states/state.ts'
import { locales } from '../../src/core/locale.ts'
import { accessibilityFaults, launchBrowser } from '../support/browser.ts'
import { type Look, type ServedStates, serveStates } from '../support/states.ts'

const { account: en } = enAccount
const { pages: base } = enTexts

let served: ServedStates
let browser: Browser
beforeAll(async () => {
  served = await serveStates()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await served?.stop()
})

/** Several pages go through the states at the same time, because each mostly waits for its browser. */
const atOnce = 3

/** The faults of each state, in the order of the states. */
const faultsOfStates = async (
  options: BrowserContextOptions,
  look: Look,
  inspect: (page: Page, state: State, problems: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const pages = await Promise.all(Array.from({ length: atOnce }, () => context.newPage()))
  const waiting = [...states.entries()]
  const faults: string[][] = states.map(() => [])
  const work = async (page: Page) => {
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, state] = next
      problems.length = 0
      const found = await served.show(page, state, look).then(
        () => inspect(page, state, problems),
        (error: Error) => [error.message.split('\n')[0] ?? ''],
      )
      faults[index] = found.map((fault) => `${state.id}: ${fault}`)
    }
  }
  await Promise.all(pages.map(work))
  await context.close()
  return faults.flat()
}

/** Elements wider than the screen, and texts outside of it. */
const overflowing = `(() => {
  const width = document.documentElement.clientWidth
  const isShown = (element) => element.checkVisibility() && !element.closest('.visually-hidden, .arches, [aria-hidden=true]')
  const scrolls = (element) => element !== null && (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
  const cut = [...document.querySelectorAll('h1, h2, p, a, button, input, select, label, dt, dd, li')]
    .filter((element) => isShown(element) && !scrolls(element) && element.getBoundingClientRect().right > width + 1)
    .map((element) => element.tagName + '.' + element.className)
  return document.documentElement.scrollWidth > width ? ['page is ' + document.documentElement.scrollWidth + ' wide', ...cut] : cut
})()`

/** Form fields that do not say whether they are required. */
const unmarkedFields = `[...document.querySelectorAll('form input, form select, form textarea')]
  .filter((field) => !['checkbox', 'radio', 'file', 'hidden', 'search'].includes(field.type) && field.tabIndex >= 0 && field.checkVisibility() && !field.closest('.visually-hidden') && !field.hasAttribute('aria-required'))
  .map((field) => 'aria-required is missing on ' + field.name)`

test('every page in every state has one heading and its title, and no errors and accessibility faults', async () => {
  const faults = await faultsOfStates(
    { viewport: { width: 1280, height: 800 } },
    {},
    async (page, { id, isWaiting }, problems) => {
      const headings = await page.locator('h1').count()
      const title = await page.title()
      return [
        ...problems.filter((text) => text.includes('no answer for')),
        ...(headings === 1 ? [] : [`${headings} headings of the first level`]),
        ...((await page.evaluate(unmarkedFields)) as readonly string[]),
        ...(isWaiting || title !== 'gatehouse' || id === 'sign-in/unreachable' ? [] : ['no title']),
        ...(await accessibilityFaults(page)),
      ]
    },
  )
  expect(faults).toEqual([])
}, 300_000)

/** Focusable elements without a visible focus ring. Elements that only scripts focus are left out. */
const unseenFocus = `[...document.querySelectorAll('main a[href], main button, main input, main select, main summary')]
  .filter((element) => element.checkVisibility() && element.tabIndex >= 0 && !element.hidden)
  .filter((element) => {
    element.focus()
    // A link that covers a whole row has its focus ring around the row.
    const { outlineStyle, outlineWidth } = getComputedStyle(element, element.classList.contains('row-link') ? '::after' : undefined)
    return document.activeElement === element && (outlineStyle === 'none' || parseFloat(outlineWidth) < 1)
  })
  .map((element) => 'focus is not seen on ' + element.tagName + '.' + element.className)`

/** The current place in a menu, with forced colours. */
const unmarkedPlace = `[...document.querySelectorAll('[aria-current=page]')]
  .filter((element) => element.checkVisibility() && getComputedStyle(element).outlineStyle === 'none')
  .map((element) => 'the current place is not marked on ' + element.className)`

test('at 400 % zoom and with forced colours nothing overflows in any state, and the focus and the current place are visible', async () => {
  const look = { language: 'de', brand: 'pastel' } as const
  const options = { viewport: { width: 320, height: 256 }, forcedColors: 'active' } as const
  const inspect = async (page: Page) => {
    const wide: readonly string[] = await page.evaluate(overflowing)
    const unmarked: readonly string[] = await page.evaluate(unmarkedPlace)
    // An element that a script focuses after a key press counts as focused by keyboard.
    await page.keyboard.press('Tab')
    const unseen: readonly string[] = await page.evaluate(unseenFocus)
    return [...wide, ...unmarked, ...unseen]
  }
  expect(await faultsOfStates(options, look, inspect)).toEqual([])
}, 300_000)

test('the label of a button that is alone on its line fits on the line in every language', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  const broken: string[] = []
  for (const language of locales)
    for (const state of states.filter(({ id }) =>
      /^(sign-in\/start|sign-up\/start|forgot-password\/start|two-factor\/app)$/.test(id),
    )) {
      await served.show(page, state, { language })
      const found: readonly string[] = await page.evaluate(
        `[...document.querySelectorAll('main .button')].filter((button) => button.querySelector('.button-label, span')?.getClientRects().length > 1 || button.offsetHeight > 50).map((button) => button.textContent)`,
      )
      broken.push(...found.map((text) => `${language} ${state.id}: ${text}`))
    }
  await page.close()
  expect(broken).toEqual([])
}, 120_000)

test('the account area begins with a link that skips its menu', async () => {
  const page = await browser.newPage()
  const profile = states.find(({ id }) => id === 'account/profile')
  if (profile === undefined) throw new Error('no state')
  await served.show(page, profile)
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: en['account.skip'] })
  expect(await skip.evaluate((link) => link === link.ownerDocument.activeElement && link.clientHeight > 10)).toBe(true)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.evaluate("document.activeElement.closest('#content') !== null")).toBe(true)
  await page.close()
})

test('the confirmation of a sign-out exists in every language, and its footer links to privacy, terms and help', async () => {
  const page = await browser.newPage()
  const asked = states.find(({ id }) => id.startsWith('sign-out/'))
  const signIn = states.find(({ id }) => id === 'sign-in/application')
  if (asked === undefined || signIn === undefined) throw new Error('no state')
  const questions = new Set<string>()
  for (const language of locales) {
    const { t } = await loadI18n(language, [], ['consent'])
    await served.show(page, asked, { language })
    expect(await page.locator('h1').innerText()).toBe(t('signOut.title'))
    questions.add(await page.locator('main').innerText())
    await served.show(page, signIn, { language, brand: 'pastel' })
    const links = page.locator('.foot-links a')
    await links.nth(3).waitFor()
    const names = await links.allInnerTexts()
    expect([names.length, new Set(names).size, names[0]?.includes('Northwind Shop')], language).toEqual([4, 4, true])
  }
  expect(questions.size).toBe(locales.length)
  await page.close()
})

test('the sign-in page says if every sign-in method is switched off', async () => {
  const page = await browser.newPage()
  const closed = states.find(({ id }) => id === 'sign-in/no-way-in')
  if (closed === undefined) throw new Error('no state')
  for (const language of locales) {
    await served.show(page, closed, { language })
    expect((await page.locator('main .notice').innerText()).length, language).toBeGreaterThan(40)
  }
  await page.close()
})

test('while passwords are off no panel of the account asks for a password, and the other sign-in methods are shown', async () => {
  const page = await browser.newPage()
  for (const state of states.filter(({ id }) => id.startsWith('account/no-passwords'))) {
    await served.show(page, state)
    expect(await page.locator('[type=password], [href="/account/password"]').count(), state.id).toBe(0)
    if (state.id.includes('sign-in-methods')) await expect.poll(() => page.getByText('GitHub').count()).toBeGreaterThan(0)
  }
  await page.close()
})

test('the sign-up page leads to the sign-in by mail if the operator allows no other sign-up', async () => {
  const page = await browser.newPage()
  const byMail = states.find(({ id }) => id === 'sign-up/by-mail')
  if (byMail === undefined) throw new Error('no state')
  await served.show(page, byMail)
  expect(await page.getByRole('link', { name: base['signUp.byMail'] }).getAttribute('href')).toContain('/mail-sign-in')
  await page.close()
})

test('the production bundle contains no part of the development page of states', () => {
  const built = fileURLToPath(new URL('../../admin-ui/dist', import.meta.url))
  const files = globSync('**/*.{html,js,css,json}', { cwd: built })
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((file) => /no answer for|made-up/.test(readFileSync(`${built}/${file}`, 'utf8')))).toEqual([])
})
