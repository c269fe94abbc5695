/** Browsers get a page when the server fails or is being migrated, and programs get JSON. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readTexts } from '../../../admin-ui/texts.ts'
import { locales } from '../../../src/core/locale.ts'
import { type TestApp, testApp } from '../../support/app.ts'

const texts = readTexts()['pages']
/** Text that only the server shows. */
const said = (locale: string, key: string) => String(texts?.[locale]?.['server']?.[key])

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { brand: { name: 'Northwind' } } })
})
afterEach(() => t.app.maintenance.end())
afterAll(() => t.stop())

const inBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }
/** A request with headers that `fetch` would set itself. */
const get = async (path: string, headers: Readonly<Record<string, string>> = {}, by = t) => {
  const sent = request(by.url + path, { headers }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}

test('during a migration a browser gets a branded page in its language, with the time to return', async () => {
  t.app.maintenance.begin()
  for (const locale of locales)
    for (const path of ['/', '/sign-in', '/account/profile', '/admin', '/oauth2/authorize?client_id=x', '/get-session']) {
      const answer = await get(path, { ...inBrowser, 'accept-language': locale })
      const page = answer.text
      expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']], path).toEqual([
        503,
        'text/html; charset=utf-8',
        'no-store',
      ])
      expect(answer.headers['retry-after']).toBe('30')
      expect(page).toContain(said(locale, 'maintenance.title'))
      expect(page).toContain('Northwind')
      expect(/<script|modulepreload|<link rel="stylesheet"|\{\w+\}/.exec(page.replaceAll(/<style>.*?<\/style>/gs, ''))).toBeNull()
    }
})

test('during a migration a program gets JSON with the time to return, and the process counts as alive', async () => {
  t.app.maintenance.begin()
  for (const path of ['/get-session', '/readyz', '/sign-in', '/openapi.json']) {
    const answer = await get(path, { accept: 'application/json' })
    expect([answer.status, answer.headers['retry-after'], JSON.parse(answer.text)], path).toEqual([
      503,
      '30',
      { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable' },
    ])
  }
  expect((await get('/livez')).status).toBe(200)
  t.app.maintenance.end()
  expect((await get('/readyz')).status).toBe(200)
})

test('on a server error a browser gets a page with the request id, and a program gets JSON', async () => {
  const broken = await testApp()
  const ann = await broken.signedIn('ann@example.com')
  await broken.app.database.db.knex.schema.renameTable('session', 'session_away')
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const inPage = { ...inBrowser, cookie }
  const answer = await get('/list-sessions', inPage, broken)
  expect([answer.status, answer.headers['content-type']]).toEqual([500, 'text/html; charset=utf-8'])
  expect(answer.text).toContain(said('en', 'failed.title'))
  expect(answer.text).toContain(`<dd>${answer.headers['x-request-id']}</dd>`)
  const other = await get('/list-sessions', inPage, broken)
  expect(other.text).toContain(`<dd>${other.headers['x-request-id']}</dd>`)
  const json = await get('/list-sessions', { cookie }, broken)
  expect([json.status, JSON.parse(json.text)]).toEqual([
    500,
    { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error', requestId: json.headers['x-request-id'] },
  ])
  await broken.stop()
})
