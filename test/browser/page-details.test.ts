import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { states } from '../../admin-ui/states/all.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Look, type ServedStates, serveStates } from '../support/states.ts'

const { t } = await loadI18n('en', [], ['secondFactor'])

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

const open = async (id: string, look: Look = {}, width = 390): Promise<Page> => {
  const state = states.find((candidate) => candidate.id === id)
  if (state === undefined) throw new Error(`there is no state ${id}`)
  const context = await browser.newContext({
    viewport: { width, height: 844 },
    colorScheme: look.theme ?? 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await served.show(page, state, look)
  return page
}

const edgesOf = async (page: Page, selector: string) =>
  (await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((element) => element.checkVisibility())
      .map((element) => element.getBoundingClientRect()).map(({ top, bottom, left }) => ({ top, bottom, left }))`,
  )) as readonly { readonly top: number; readonly bottom: number; readonly left: number }[]

test('the second step names the account and offers another method and another account', async () => {
  const page = await open('two-factor/app')
  await page.getByText('a…@example.com').waitFor()
  await page.getByRole('button', { name: t('step.other') }).waitFor()
  expect(await page.getByRole('link', { name: t('step.another') }).getAttribute('href')).toBe('/sign-in?ui_locales=en')
  await page.context().close()
})

test('the page that asks a session for a further proof names the account and does not offer another account', async () => {
  const page = await open('two-factor/step-up')
  await page.getByText('a…@example.com').first().waitFor()
  expect(await page.getByRole('link', { name: t('step.another') }).count()).toBe(0)
  await page.context().close()
})

test('sign-in methods are evenly spaced, and the divider stands in the middle', async () => {
  const page = await open('sign-in/many-providers')
  const rows = await edgesOf(page, '.other-ways .button, .social-buttons .button-secondary:nth-child(odd)')
  const gaps = rows.slice(1).map(({ top }, index) => top - (rows[index]?.bottom ?? 0))
  expect(gaps.length).toBeGreaterThan(2)
  expect(new Set(gaps.map(Math.round))).toEqual(new Set([10]))
  const [send] = await edgesOf(page, 'form [type=submit]')
  const [divider] = await edgesOf(page, '.divider')
  const above = (divider?.top ?? 0) - (send?.bottom ?? 0)
  const below = (rows[0]?.top ?? 0) - (divider?.bottom ?? 0)
  expect(Math.abs(above - below)).toBeLessThanOrEqual(1)
  await page.context().close()
})

test('a field without a message reserves no room for a message', async () => {
  const distance = async (id: string) => {
    const page = await open(id)
    const [email, password] = await edgesOf(page, 'form .field label')
    const [input] = await edgesOf(page, 'form .field input')
    await page.context().close()
    return { toNext: (password?.top ?? 0) - (input?.bottom ?? 0), first: email?.left }
  }
  const empty = await distance('sign-in/start')
  const filled = await distance('sign-in/fields-missing')
  expect(empty.toNext).toBeLessThanOrEqual(20)
  expect(filled.toNext).toBeGreaterThan(empty.toNext + 15)
})

test('the logo of dark pages is aligned with the heading on a phone', async () => {
  for (const theme of ['light', 'dark'] as const) {
    const page = await open('sign-in/start', { theme, brand: 'pastel' })
    const [logo] = await edgesOf(page, '.logo')
    const [heading] = await edgesOf(page, 'h1')
    expect([theme, logo?.left]).toEqual([theme, heading?.left])
    await page.context().close()
  }
})

test('the tabs of an organization fade out at the edge of a phone instead of casting a shadow', async () => {
  const page = await open('organizations/members')
  const look = 'const { maskImage, backgroundImage } = getComputedStyle(document.querySelector(".tabs"));'
  expect(await page.evaluate(`(() => { ${look} return [maskImage.includes('gradient'), backgroundImage] })()`)).toEqual([
    true,
    'none',
  ])
  await page.context().close()
})

test('the logos of providers have their official colours', async () => {
  const page = await open('account/sign-in-methods')
  expect(await page.locator('.provider-mark path[fill="#4285f4"]').count()).toBeGreaterThan(0)
  await page.context().close()
  const many = await open('sign-in/many-providers')
  await many.getByRole('button', { name: t('social.more') }).click()
  expect(await many.locator('.provider-mark path[fill="#5865f2"]').count()).toBe(1)
  expect(await many.locator('.provider-mark path[fill="#fc6d26"]').count()).toBe(1)
  await many.context().close()
})
