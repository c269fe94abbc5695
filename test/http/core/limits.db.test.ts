import { afterAll, beforeAll, expect } from 'vitest'
import { addHits } from '../../../src/limits/store.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { limits: { enabled: 'on' } } })
  t.clock.hold()
})
afterAll(() => t.stop())

const nextWindow = () => t.clock.advance({ seconds: 60 })
const attempt = (at: TestApp) =>
  at.client().post('/sign-in/email', { email: 'a@b.cd', password: 'wrong password' }, { origin: t.url })

testOnBoth('a fourth sign-in within ten seconds is refused with the seconds to wait', async () => {
  nextWindow()
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => attempt(t)))).map((answer) => answer.status)
  expect(statuses.sort()).toEqual([401, 401, 401, 429, 429, 429, 429, 429])
  const refused = await attempt(t)
  expect(refused.json).toEqual({
    code: 'TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER',
    message: 'Too many requests. Please try again later.',
  })
  expect(Number(refused.headers.get('x-retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('retry-after')).toBe(refused.headers.get('x-retry-after'))
  nextWindow()
  expect((await attempt(t)).status).toBe(401)
})

testOnBoth('two nodes share the count of a limit', async () => {
  nextWindow()
  const other = await t.node()
  const statuses = (await Promise.all([attempt(t), attempt(other), attempt(t), attempt(other), attempt(t), attempt(other)])).map(
    (answer) => answer.status,
  )
  expect(statuses.sort()).toEqual([401, 401, 401, 429, 429, 429])
  await other.stop()
})

test('calls without a limit of their own share a limit of a hundred calls in ten seconds', async () => {
  nextWindow()
  const statuses: number[] = []
  for (let i = 0; i < 105; i += 1) statuses.push((await t.client().request('/get-session')).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(100)
  nextWindow()
  expect((await t.client().request('/get-session')).status).toBe(200)
})

test('unknown paths, pages and API calls share one limit of a hundred', async () => {
  nextWindow()
  const statuses: number[] = []
  const html = { accept: 'text/html' }
  for (let i = 0; i < 35; i += 1) {
    statuses.push((await t.client().request(`/nothing/${i}`)).status)
    statuses.push((await t.client().request('/sign-in', { headers: html })).status)
    statuses.push((await t.client().request('/get-session')).status)
  }
  expect(statuses.slice(0, 6)).toEqual([404, 200, 200, 404, 200, 200])
  expect(statuses.filter((status) => status !== 429)).toHaveLength(100)
  const refused = await t.client().request('/nothing')
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
})

testOnBoth(
  'a preflight does not count, and the script of another origin can read the refusal of the following call',
  async () => {
    nextWindow()
    const asked = { origin: t.url, 'access-control-request-method': 'GET' }
    const ask = async () => (await t.client().request('/get-session', { method: 'OPTIONS', headers: asked })).status
    const preflights = await Promise.all(Array.from({ length: 50 }, ask))
    const calls = await Promise.all(Array.from({ length: 110 }, async () => (await t.client().request('/get-session')).status))
    expect([new Set(preflights), calls.filter((status) => status === 200).length]).toEqual([new Set([204]), 100])
    expect(await ask()).toBe(204)
  },
)

test('files of the pages have their own limit, and a page can load all its files within the limit', async () => {
  nextWindow()
  const own = await t.node({ limits: { enabled: 'on', files: { max: 150 } } })
  const page = (await own.client().request('/sign-in', { headers: { accept: 'text/html' } })).text
  const file = /"(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
  const statuses: number[] = []
  for (let i = 0; i < 155; i += 1) statuses.push((await own.client().request(file)).status)
  expect([statuses[0], statuses.filter((status) => status === 200).length]).toEqual([200, 150])
  expect((await own.client().request('/get-session')).status).toBe(200)
  await own.stop()
})

testOnBoth('exactly a hundred parallel calls pass the limit', async () => {
  nextWindow()
  const answers = await Promise.all(Array.from({ length: 110 }, () => t.client().request('/get-session')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
})

testOnBoth('health checks are never limited', async () => {
  nextWindow()
  const answers = await Promise.all(Array.from({ length: 120 }, () => t.client().request('/livez')))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})

test('a node whose clock is seconds behind does not reset the limit', async () => {
  const hits = (at: number) => t.app.core.transact((tx) => addHits(tx, 'skew', at, 1))
  expect([await hits(20_000), await hits(10_000), await hits(20_000)]).toEqual([1, 2, 3])
  expect(await hits(10_000_000)).toBe(1)
  expect(await hits(20_000)).toBe(1)
})

test('counters of windows that ended a day ago are deleted', async () => {
  t.clock.advance({ days: 2 })
  await t.app.limits.retention.sweep()
  expect(await t.app.core.db.knex('rate_limit')).toEqual([])
})
