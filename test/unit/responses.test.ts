import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createLog } from '../../src/core/log.ts'
import { instant } from '../../src/core/wire.ts'
import {
  Accepted,
  contract,
  createApi,
  Download,
  jsonOrAccepted,
  jsonOrRedirect,
  Redirect,
  redirect,
  stream,
  text,
} from '../../src/http/contract.ts'
import { bind } from '../../src/http/handlers.ts'
import { type HttpRequest, isAnswered, refusalOf, sendRefusal, sendResult } from '../../src/http/response.ts'

const open = { method: 'GET', access: 'anonymous', summary: 'An example', errors: [] } as const
const examples = contract('Examples', {
  time: { ...open, path: '/time', response: z.object({ at: instant }) },
  mailedLink: { ...open, path: '/mailed-link', response: jsonOrRedirect(z.object({ status: z.boolean() })) },
  delivery: { ...open, path: '/delivery', response: jsonOrAccepted(z.object({ outcome: z.string() })) },
  next: { ...open, path: '/next', response: redirect },
  metrics: { ...open, path: '/metrics', response: text('text/plain') },
  events: { ...open, path: '/events', response: stream('application/jsonl') },
  file: { ...open, path: '/file', response: stream('text/csv') },
  broken: { ...open, path: '/broken', response: stream('text/csv') },
})

async function* chunks() {
  yield 'id,näme\n'
  yield Buffer.from('1,Ann\n')
}
async function* failing() {
  yield 'id\n'
  throw new Error('the database is gone')
}

const routes = bind(examples, {
  time: () => ({ at: new Date(0) }),
  mailedLink: () => new Redirect('/account'),
  delivery: () => new Accepted({ outcome: 'accepted' }),
  next: () => new Redirect('/next-page'),
  metrics: () => 'requests_total 1 é\n',
  events: () => chunks(),
  file: () => new Download('Rechnung "é"\r\n.csv', chunks()),
  broken: () => failing(),
})

const server = createServer(async (req, res) => {
  const route = routes.find(({ endpoint }) => endpoint.path === req.url)
  try {
    if (route !== undefined)
      await sendResult(req as HttpRequest, res, route.endpoint, await route.handle({} as never, {} as never))
  } catch (error) {
    const log = createLog('silent')
    if (!isAnswered(res, error, 'r', log)) sendRefusal(res, refusalOf(error, 'r', log), 'r')
  }
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
const get = (path: string, method = 'GET') => fetch(url + path, { redirect: 'manual', method })

test('a handler returns data, and the server writes the JSON that the contract declares', async () => {
  const response = await get('/time')
  expect(await response.json()).toEqual({ at: '1970-01-01T00:00:00.000Z' })
  expect(response.headers.get('cache-control')).toBe('no-store')
})

test('a handler redirects only as its contract declares', async () => {
  for (const [path, location] of [
    ['/mailed-link', '/account'],
    ['/next', '/next-page'],
  ] as const) {
    const response = await get(path)
    expect([response.status, response.headers.get('location')]).toEqual([302, location])
    expect(response.headers.get('cache-control')).toBe('no-store')
  }
})

test('accepted work is answered with status 202', async () => {
  const response = await get('/delivery')
  expect([response.status, await response.json()]).toEqual([202, { outcome: 'accepted' }])
})

test('a text response is sent with its media type, charset and length', async () => {
  const response = await get('/metrics')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('content-length')).toBe('20')
  expect(await response.text()).toBe('requests_total 1 é\n')
})

test('a stream is sent in the chunks that the handler yields', async () => {
  const response = await get('/events')
  expect(response.headers.get('content-type')).toBe('application/jsonl')
  expect(await response.text()).toBe('id,näme\n1,Ann\n')
  expect(await (await get('/events', 'HEAD')).text()).toBe('')
})

test('the response of a download contains the file name, and no name can break the header', async () => {
  const response = await get('/file')
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="Rechnung _____.csv"; filename*=UTF-8''Rechnung%20%22%C3%A9%22%0D%0A.csv`,
  )
  expect(await response.text()).toBe('id,näme\n1,Ann\n')
})

test('a failing stream ends the connection, so that no client mistakes a part for the whole body', async () => {
  await expect(get('/broken').then((response) => response.text())).rejects.toThrow()
})

test('the typed client returns JSON with the types of the domain, and text and streams as text', async () => {
  const api = createApi(examples, (path, init) => fetch(url + path, init))
  expect(await api.time()).toEqual({ at: new Date(0) })
  expect(await api.metrics()).toBe('requests_total 1 é\n')
  expect(await api.events()).toBe('id,näme\n1,Ann\n')
})
