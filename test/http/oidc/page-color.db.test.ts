import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Application, authorizePath, register } from './flow.ts'

let t: TestApp
let shop: Application
let plain: Application
beforeAll(async () => {
  t = await testApp({ config: { brand: { name: 'Northwind', color: '#0b1f4d' } } })
  shop = await register(t, { name: 'Shop', color: '#b3261e' })
  plain = await register(t, { name: 'Plain' })
})
afterAll(() => t.stop())

const startAt = async (browser: Client, app: Application) =>
  String((await browser.request(authorizePath(app), { headers: { accept: 'text/html' } })).location)
const sheetOf = async (browser: Client, path: string, headers: Record<string, string> = {}) => {
  const { text } = await browser.request(path, { headers: { accept: 'text/html', ...headers } })
  return {
    // The style of the brand follows the style of all pages.
    sheet: [...text.matchAll(/<style>([^<]*--accent-fill[^<]*)<\/style>/g)].at(-1)?.[1] ?? '',
    theme: /name="theme-color" content="([^"]*)" media="\(prefers-color-scheme: light\)/.exec(text)?.[1],
  }
}

test('every page of a sign-in has the colour of the application from the first byte, and other pages have the colour of the brand', async () => {
  const browser = t.client()
  const page = await startAt(browser, shop)
  const uid = new URL(page, t.url).searchParams.get('interaction') ?? ''
  for (const path of [page, `/sign-up?interaction=${uid}`, `/two-factor?interaction=${uid}`, `/consent?interaction=${uid}`]) {
    const { sheet } = await sheetOf(browser, path)
    expect(sheet, path).toContain('--accent-fill:#b3261e')
  }
  const own = await sheetOf(browser, '/sign-in')
  expect(own.sheet).toContain('--accent-fill:#0b1f4d')
  expect((await sheetOf(browser, page)).theme).not.toBe(own.theme)
})

test('two sign-ins in one browser are each shown in the colour of their application', async () => {
  const browser = t.client()
  const [first, second] = [await startAt(browser, shop), await startAt(browser, plain)]
  expect((await sheetOf(browser, first)).sheet).toContain('--accent-fill:#b3261e')
  expect((await sheetOf(browser, second)).sheet).toContain('--accent-fill:#0b1f4d')
})

test('a sign-in page opened in another browser or with a changed cookie has the colour of the brand', async () => {
  const browser = t.client()
  const page = await startAt(browser, shop)
  expect((await sheetOf(t.client(), page)).sheet).toContain('--accent-fill:#0b1f4d')
  const uid = new URL(page, t.url).searchParams.get('interaction') ?? ''
  const cookie = `gatehouse.interaction=${uid}!00ff00.${'x'.repeat(44)}`
  expect((await sheetOf(t.client(), page, { cookie })).sheet).toContain('--accent-fill:#0b1f4d')
})

test('the colour of a page costs no database statement', async () => {
  const browser = t.client()
  const page = await startAt(browser, shop)
  const statements = await statementsOf(t, () => sheetOf(browser, page))
  expect(statements).toEqual([])
})
