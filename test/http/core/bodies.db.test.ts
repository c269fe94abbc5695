import { createHmac } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

const secret = 'whsec_of_the_tests_that_is_long_enough'
let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret], maxUnverifiedBytes: 1_048_576 }, http: { requestSeconds: 1 } } })
})
afterAll(() => t.stop())

interface Connection {
  readonly socket: Socket
  /** All data received so far. */
  answer(): string
  /** Resolves once the answer matches, or the connection is closed. */
  until(pattern: RegExp): Promise<string>
}

/** A connection on which the test sends every byte itself. */
const open = async (at: TestApp, text: string): Promise<Connection> => {
  const socket = connect(Number(new URL(at.url).port), '127.0.0.1')
  let answer = ''
  let isClosed = false
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
  })
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  socket.write(text)
  const until = (pattern: RegExp) =>
    vi.waitFor(
      () => {
        if (!pattern.test(answer) && !isClosed) throw new Error(`no answer like ${pattern}: ${answer}`)
        return answer
      },
      { timeout: 60_000, interval: 20 },
    )
  return { socket, answer: () => answer, until }
}

const post = (path: string, headers: readonly string[], length: number) =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', ...headers, `Content-Length: ${length}`, '', ''].join('\r\n')
const now = () => String(Math.floor(Date.now() / 1000))
const signedHeaders = (id: string, time = now()) => [
  `webhook-id: ${id}`,
  `webhook-timestamp: ${time}`,
  'webhook-signature: v1,AAAA',
]
const form = 'Content-Type: application/x-www-form-urlencoded'
const awaited = 'Expect: 100-continue'

describe('deliveries that are refused before their body is read', () => {
  test.each([
    ['an unknown endpoint', '/webhooks/nothing', () => signedHeaders('a'), 404, 'WEBHOOK_ENDPOINT_NOT_FOUND'],
    ['missing headers', '/webhooks/polar', () => [], 403, 'MISSING_REQUIRED_HEADERS'],
    ['an invalid time', '/webhooks/polar', () => signedHeaders('a', '1.5'), 403, 'INVALID_SIGNATURE_HEADERS'],
    ['a time long ago', '/webhooks/polar', () => signedHeaders('a', '1700000000'), 403, 'MESSAGE_TIMESTAMP_TOO_OLD'],
    ['a time in the future', '/webhooks/polar', () => signedHeaders('a', '9700000000'), 403, 'MESSAGE_TIMESTAMP_TOO_NEW'],
  ])('a delivery with %s is refused before its body is read', async (_, path, headers, status, code) => {
    const connection = await open(t, post(path, headers(), 500_000))
    const answer = await connection.until(/"code"/)
    expect([answer.split(' ')[1], answer.includes(code)]).toEqual([String(status), true])
    connection.socket.destroy()
  })
})

test('bodies of unverified deliveries of all connections together use no more memory than configured, and a refusal says when to try again', async () => {
  const half = 'x'.repeat(600_000)
  const own = await t.node({ http: { requestSeconds: 60 } })
  const first = await open(own, post('/webhooks/polar', [...signedHeaders('a'), awaited], 1_000_000) + half)
  await first.until(/100 Continue/)
  const refused = await vi.waitFor(async () => {
    const answer = await own.client().request('/webhooks/polar', {
      method: 'POST',
      headers: { 'webhook-id': 'b', 'webhook-timestamp': now(), 'webhook-signature': 'v1,AAAA' },
      body: half,
    })
    if (answer.status === 403) throw new Error('the first body is not there yet')
    return answer
  }, 60_000)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  // The memory of aborted bodies and of verified ones is free again.
  first.socket.destroy()
  const body = '{}'
  const sign = (id: string, time: string) => createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64')
  const time = now()
  const headers = { 'webhook-id': 'c', 'webhook-timestamp': time, 'webhook-signature': `v1,${sign('c', time)}` }
  for (let i = 0; i < 3; i += 1) {
    const forged = { ...headers, 'webhook-signature': 'v1,AAAA' }
    await vi.waitFor(async () => {
      const answer = await own.client().request('/webhooks/polar', { method: 'POST', headers: forged, body: half })
      expect([answer.status, answer.json['code']]).toEqual([403, 'NO_MATCHING_SIGNATURE_FOUND'])
    }, 60_000)
  }
  const understood = await own.client().request('/webhooks/polar', { method: 'POST', headers, body })
  expect([understood.status, understood.json['code']]).toEqual([400, 'FAILED_TO_PARSE_EVENT'])
  await own.stop()
})

test('a slowly arriving body has the same deadline at every endpoint', async () => {
  // No race in the database: no body arrives completely.
  const requests = [
    post('/webhooks/polar', signedHeaders('a'), 5_000),
    ...['/oauth2/token', '/oauth2/userinfo', '/oauth2/end-session'].map((path) => post(path, [form], 5_000)),
    post('/sign-in/email', ['Content-Type: application/json'], 5_000),
    post('/nothing', [], 5_000),
  ]
  const answers = requests.map(async (request) => {
    const { socket, until } = await open(t, request)
    const drip = setInterval(() => socket.write('a'), 50)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(drip)
    return (await until(/./)).slice(0, 12)
  })
  expect(await Promise.all(answers)).toEqual([...Array(5).fill('HTTP/1.1 408'), 'HTTP/1.1 404'])
})

test('at most http.maxConnections connections are open at once', async () => {
  const own = await t.node({ http: { maxConnections: 16, requestSeconds: 60 } })
  const request = 'GET /ok HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const most: Awaited<ReturnType<typeof open>>[] = []
  for (let count = 0; count < 16; count += 1) most.push(await open(own, request))
  for (const { until } of most) expect((await until(/ok/)).slice(9, 12)).toBe('200')
  const further = await open(own, request)
  expect(await further.until(/ok/)).toBe('')
  most[0]?.socket.destroy()
  await vi.waitFor(async () => expect(await (await open(own, request)).until(/ok/)).toContain('200 OK'), 60_000)
  for (const { socket } of most) socket.destroy()
  await own.stop()
})

const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=1`).join('&')

test.each([
  ['/oauth2/end-session', 'BODY_TOO_LARGE', 'VALIDATION_ERROR'],
  ['/oauth2/authorize', 'BODY_TOO_LARGE', 'VALIDATION_ERROR'],
  ['/callback/apple', 'BODY_TOO_LARGE', 'VALIDATION_ERROR'],
  ['/oauth2/token', 'Body too large', 'Invalid body parameters'],
  ['/oauth2/introspect', 'Body too large', 'Invalid body parameters'],
  ['/oauth2/revoke', 'Body too large', 'Invalid body parameters'],
  ['/oauth2/par', 'Body too large', 'Invalid body parameters'],
  ['/oauth2/userinfo', 'Body too large', 'Invalid body parameters'],
])('a form at %s has at most 100 kB and 64 fields', async (path, tooLarge, tooMany) => {
  const send = (body: string) =>
    t.client().request(path, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body })
  const [large, many, most] = [await send(`a=${'x'.repeat(103_000)}`), await send(fields(65)), await send(fields(64))]
  expect([large.text, many.text]).toEqual([expect.stringContaining(tooLarge), expect.stringContaining(tooMany)])
  expect([large.status, many.status].every((status) => status >= 400 && status < 500)).toBe(true)
  expect(most.text).not.toContain(tooMany)
})
