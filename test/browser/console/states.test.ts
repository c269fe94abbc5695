/**
 * Every screen of the console in each of its states: readable, operable, within its width, without errors and without violations of the
 * content policy.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessibilityFaults, launchBrowser } from '../../support/browser.ts'
import { problemOf, recordCalls } from '../../support/shown-calls.ts'
import { type ServedConsoleStates, serveConsoleStates } from '../../support/states.ts'

interface Visit {
  readonly page: Page
  readonly id: string
}

/** A page that shows one state after another. It loads only once. */
interface Visitor {
  readonly page: Page
  readonly problems: string[]
}

/** Several pages work at the same time, because each mostly waits for its browser. */
const atOnce = 3

let served: ServedConsoleStates
let browser: Browser
let visitors: readonly Visitor[]
let ids: readonly string[]
beforeAll(async () => {
  served = await serveConsoleStates()
  browser = await launchBrowser()
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1024, height: 900 } })
  const visitor = async (): Promise<Visitor> => {
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    ids = (await served.open(page)).map(({ id }) => id)
    return { page, problems }
  }
  visitors = await Promise.all(Array.from({ length: atOnce }, visitor))
})
afterAll(async () => {
  await browser?.close()
  await served?.stop()
})

/** Shows each of the chosen states in one of the pages, and visits it there. */
const visitEach = async (chosen: (id: string) => boolean, visit: (visitor: Visitor, id: string) => Promise<void>) => {
  const waiting = ids.filter(chosen)
  expect(waiting.length).toBeGreaterThan(0)
  const work = async (visitor: Visitor) => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await visit(visitor, id)
  }
  await Promise.all(visitors.map(work))
}

const show = (page: Page, id: string, language = 'en') =>
  page.evaluate(`window.consoleStates.show(${JSON.stringify(id)}, '${language}')`)

/** The faults of the chosen states, and the errors and policy violations that the pages report. */
const faultsOf = async (
  chosen: (id: string) => boolean,
  inspect: (visit: Visit) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const faults: string[] = []
  await visitEach(chosen, async ({ page, problems }, id) => {
    problems.length = 0
    const found = await show(page, id).then(
      () => inspect({ page, id }),
      (error: Error) => [error.message.split('\n')[0] ?? ''],
    )
    faults.push(...[...found, ...problems].map((fault) => `${id}: ${fault}`))
  })
  return faults.toSorted()
}

/** Elements outside of the screen, unless they are inside something that scrolls. */
const overflowing = `(() => {
  const width = document.documentElement.clientWidth
  const scrolls = (element) => element !== null && (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
  const cut = [...document.querySelectorAll('main h1, main h2, main p, main a, main button, main input, main select, main label, main dt, main dd, main td, main th, .top *')]
    .filter((element) => element.getBoundingClientRect().right > width + 1 && element.checkVisibility() && !element.closest('.visually-hidden, iframe') && !scrolls(element))
    .map((element) => element.tagName + '.' + element.className + ' stands outside')
  // Texts of buttons, headings and links that overlap their neighbours.
  const over = [...document.querySelectorAll('main :is(h1, h2, a, button, dt, dd, .line-text, .entry-text, .badge)')]
    .filter((element) => element.checkVisibility() && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === 'visible')
    .map((element) => element.tagName + '.' + element.className + ' is narrower than its text')
  return [...(document.documentElement.scrollWidth > width ? ['the page is ' + document.documentElement.scrollWidth + ' wide instead of ' + width] : []), ...cut, ...over]
})()`

/** One visible main heading, a title, one current place in the navigation, and a tab order that follows the document. */
const misnamed = `(() => {
  const headings = [...document.querySelectorAll('h1')].filter((element) => element.checkVisibility())
  return [
    ...(headings.length === 1 && headings[0].textContent.trim() !== '' ? [] : [headings.length + ' headings']),
    ...(document.title.trim() === '' ? ['no title'] : []),
    ...[...document.querySelectorAll('[tabindex]')].filter((element) => element.tabIndex > 0).map((element) => 'out of order: ' + element.className),
  ]
})()`

const evaluate = (page: Page, script: string): Promise<readonly string[]> => page.evaluate(script)

test('every screen of the console in every state has a heading, fits its width, reports no error and is accessible', async () => {
  const faults = await faultsOf(
    () => true,
    async ({ page, id }) => {
      const found = [...(await evaluate(page, misnamed))]
      // The frame of a screen is the same in its other states, which differ by a sentence or by what is disabled.
      if (!/(?<!overview)\/(few|no-right|unreachable)$/.test(id))
        found.push(...(await accessibilityFaults(page, id.endsWith('/many') || !/\/.*\//.test(id) ? 'html' : 'main')))
      for (const width of [390, 1600]) {
        await page.setViewportSize({ width, height: 900 })
        found.push(...(await evaluate(page, overflowing)).map((fault) => `${width}: ${fault}`))
        // On a phone rows are cards, and dark mode has other colours.
        if (id.endsWith('/many') && width === 390) {
          await page.emulateMedia({ colorScheme: 'dark' })
          found.push(...(await accessibilityFaults(page, 'main')).map((fault) => `dark: ${fault}`))
          await page.emulateMedia({ colorScheme: 'light' })
        }
      }
      await page.setViewportSize({ width: 1024, height: 900 })
      return [...found, ...(await evaluate(page, overflowing)).map((fault) => `1024: ${fault}`)]
    },
  )
  expect(faults).toEqual([])
}, 600_000)

test('long words of other languages fit into the screens of the console', async () => {
  const languages = ['de', 'fr', 'ru']
  let turn = 0
  const faults = await faultsOf(
    (id) => id.endsWith('/few'),
    async ({ page, id }) => {
      turn += 1
      const language = languages[turn % languages.length]
      await show(page, id, language)
      const found: string[] = []
      for (const width of [390, 1024]) {
        await page.setViewportSize({ width, height: 900 })
        found.push(...(await evaluate(page, overflowing)).map((fault) => `${language} ${width}: ${fault}`))
      }
      return found
    },
  )
  expect(faults).toEqual([])
}, 300_000)

/** Presses every enabled button, and returns what would have changed something: calls other than reads, and submitted forms. */
const pressed = `(async () => {
  const found = []
  const ask = window.fetch
  // An export only creates a copy for its reader.
  const reads = (call) => call === 'POST /admin/billing/rules/dry-run' || call.split(' ')[1].startsWith('/admin/events/exports')
  window.fetch = (input, init) => {
    const call = (init?.method ?? 'GET') + ' ' + new URL(input, location.origin).pathname
    if (!call.startsWith('GET ') && !reads(call)) found.push('calls ' + call)
    return ask(input, init)
  }
  // Views are stored in the browser of their person, and nothing is sent.
  const kept = ['Save this view…']
  const path = location.pathname
  for (let at = 0; ; at += 1) {
    const button = [...document.querySelectorAll('main button:not([aria-disabled=true])')].filter((one) => one.checkVisibility())[at]
    if (button === undefined) break
    button.click()
    await new Promise((resolve) => setTimeout(resolve, 30))
    const dialog = document.querySelector('dialog[open]')
    if (!kept.includes(button.textContent) && dialog?.querySelector('.button-primary:not([aria-disabled=true]), .button-danger:not([aria-disabled=true])'))
      found.push('opens a form: ' + button.textContent)
    dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))
    dialog?.close()
    if (location.pathname !== path) break
  }
  window.fetch = ask
  return found
})()`

test('an auditor cannot press a button that changes anything, on any screen of the console', async () => {
  const faults = await faultsOf(
    (id) => id.endsWith('/read-only'),
    ({ page }) => evaluate(page, pressed),
  )
  expect(faults).toEqual([])
  // An administrator who presses the same buttons is asked about each of these calls.
  const forms = await faultsOf(
    (id) => id === 'console/users.id/few',
    ({ page }) => evaluate(page, pressed),
  )
  expect(forms.length).toBeGreaterThan(4)
}, 300_000)

/** Gives a page the function `hasLoaded`. It waits until all that the page requested has arrived, and says whether there was anything new. */
const tellsOfLoads = async (page: Page) => {
  let [begun, ended, known] = [0, 0, 0]
  const ends = () => {
    ended += 1
  }
  page.on('request', () => {
    begun += 1
  })
  page.on('requestfinished', ends)
  page.on('requestfailed', ends)
  await page.exposeFunction('hasLoaded', async () => {
    await expect.poll(() => begun - ended).toBe(0)
    const isNew = begun > known
    known = begun
    return isNew
  })
}

/** Every call and command that a state of a screen offers to copy, including those in the dialogs that its buttons open. */
const shownCalls = `(async () => {
  const found = []
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  // React shows a part whose code has just loaded up to 300 ms later.
  const wait = async () => {
    await pause(40)
    if (await hasLoaded()) await pause(400)
  }
  const read = async (root) => {
    for (const button of [...root.querySelectorAll('.show-call')].filter((one) => one.checkVisibility())) {
      button.click()
      await wait()
      const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
      const texts = [...(dialog?.querySelectorAll('textarea.copy-value') ?? [])].map((one) => one.value)
      if (texts.length > 0) found.push(texts)
      dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))
      await wait()
    }
  }
  await read(document.querySelector('main'))
  const path = location.pathname
  for (let at = 0; ; at += 1) {
    const button = [...document.querySelectorAll('main button:not([aria-disabled=true]):not(.show-call):not(.id)')].filter((one) => one.checkVisibility())[at]
    if (button === undefined || at > 60) break
    button.click()
    await wait()
    const dialog = document.querySelector('dialog[open]')
    if (dialog !== null) await read(dialog)
    dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))
    dialog?.close()
    if (location.pathname !== path) break
  }
  return found
})()`

test('the server and the command line understand every call and command that the console shows', async () => {
  const shown = new Set<string>()
  await Promise.all(visitors.map(({ page }) => tellsOfLoads(page)))
  // Some buttons make a call that the state does not answer. What they report is no fault here, so this test comes last.
  await visitEach(
    (id) => id.endsWith('/few'),
    async ({ page }, id) => {
      await page.setViewportSize({ width: 1600, height: 900 })
      await show(page, id)
      const found: readonly (readonly string[])[] = await page.evaluate(shownCalls)
      const { origin } = new URL(page.url())
      for (const [calls = '', commands = ''] of found)
        for (const text of [...calls.split(/\n(?=curl )/), ...commands.split('\n')])
          if (text !== '')
            shown.add(text.replaceAll(origin, 'https://id.example.com').replaceAll(/\b\d{4}-\d\d-\d\d\b/g, '2026-01-01'))
    },
  )
  const texts = [...shown].toSorted()
  expect(texts.filter((text) => text.startsWith('gatehouse ')).length).toBeGreaterThan(60)
  expect(texts.filter((text) => text.startsWith('curl ')).length).toBeGreaterThan(90)
  expect(texts.flatMap((text) => problemOf(text) ?? [])).toEqual([])
  if (process.env['GATEHOUSE_RECORD_GALLERIES'] === '1') recordCalls(texts)
}, 300_000)
