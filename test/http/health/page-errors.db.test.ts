/** Reports of hosted pages about errors of their scripts. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserOf, pageKind, placesOf, withoutPersonalData } from '../../../src/health/page-errors/rules.ts'
import { type TestApp, testApp } from '../../support/app.ts'

const token = 'a token of more than sixteen characters'
let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { metrics: { token } } })
})
afterAll(() => t.stop())

const report = { page: '/invitation/0123456789abcdef', name: 'TypeError', message: 'URL.parse is not a function', source: '' }
const send = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  t.client().request('/hosted/page-error', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: t.url, ...headers },
    body: JSON.stringify(body),
  })

test('a script error of a page is counted in the metrics and, once it is written, named by doctor', async () => {
  const admin = await t.signedIn('admin@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' }))
  const found = async () => (await admin.api.healthAdmin.diagnose({})).checks.filter(({ check }) => check === 'pageScripts')
  expect(await found()).toMatchObject([{ severity: 'ok' }])
  expect((await send(report)).status).toBe(200)
  expect((await send(report)).status).toBe(200)
  await t.app.tally.flush()
  expect(await found()).toMatchObject([{ severity: 'warning', code: 'page-scripts-fail', values: { count: 2 } }])
  const { text } = await t.client().request('/metrics', { headers: { authorization: `Bearer ${token}` } })
  expect(text).toMatch(/^gatehouse_page_errors_total 2$/m)
  t.clock.advance({ days: 2 })
  expect(await found()).toMatchObject([{ severity: 'ok' }])
})

test('reports of script errors are limited in length and number', async () => {
  expect((await send({ ...report, message: 'x'.repeat(1001) })).status).toBe(400)
  const limited = await t.node({ limits: { enabled: 'on' } })
  const answers: number[] = []
  for (let i = 0; i < 4; i += 1) {
    const answer = await limited.client().request('/hosted/page-error', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: limited.url },
      body: JSON.stringify(report),
    })
    answers.push(answer.status)
  }
  expect(answers).toEqual([200, 200, 200, 429])
  await limited.stop()
})

test('all reports of script errors are counted, and only a few a minute are logged, whoever sends them', async () => {
  const lines: string[] = []
  const loud = await testApp({ config: { metrics: { token } }, onLog: (line) => lines.push(line) })
  loud.clock.hold()
  const reportAll = async (from: number) => {
    for (let i = from; i < from + 40; i += 1)
      await loud.client().request('/hosted/page-error', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: loud.url },
        body: JSON.stringify({ ...report, message: `failure ${i}` }),
      })
  }
  await reportAll(0)
  const logged = (message: string) => lines.filter((line) => line.includes(message)).length
  expect([logged('a script failed on a page'), logged('scripts fail on many pages')]).toEqual([30, 1])
  loud.clock.advance({ minutes: 1 })
  await reportAll(40)
  expect([logged('a script failed on a page'), logged('scripts fail on many pages')]).toEqual([60, 2])
  const { text } = await loud.client().request('/metrics', { headers: { authorization: `Bearer ${token}` } })
  expect(text).toMatch(/^gatehouse_page_errors_total 80$/m)
  await loud.stop()
})

test('the log line of a script error contains no typed text and no secret from an address', () => {
  expect(withoutPersonalData(`Unexpected token 'h', "hunter2 is my" is not valid JSON`)).toBe(
    "Unexpected token 'h', … is not valid JSON",
  )
  expect(withoutPersonalData("Cannot read properties of undefined (reading 'origin')")).toContain("(reading 'origin')")
  expect(withoutPersonalData('Invalid URL: https://x.example/a?token=abc#frag ann@example.com')).toBe(
    'Invalid URL: https://x.example/a… …',
  )
  expect(withoutPersonalData('no 0f9a8b7c6d5e4f3a2b1c here')).toBe('no … here')
  expect(withoutPersonalData(`a "b" c "d e`)).toBe('a … c …')
  expect(withoutPersonalData(`${'line\n'.repeat(200)}`).length).toBeLessThanOrEqual(200)
  expect([pageKind('/invitation/secret'), pageKind('/sign-in'), pageKind('/%00'), pageKind('https://x')]).toEqual([
    '/invitation',
    '/sign-in',
    'other',
    'other',
  ])
  expect(placesOf('f@https://id.example/assets/forms-a1.js:1:22 /etc/passwd:1:1')).toBe('/assets/forms-a1.js:1:22')
  const safari =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 16_4 like Mac OS X) AppleWebKit/605.1.15 Version/16.4 Mobile/15E148 Safari/604.1'
  expect([browserOf(safari), browserOf('curl/8 ann@example.com')]).toEqual(['Safari/16.4', 'other'])
})
