import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { parseBody } from '../../../src/http/input.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const signIn = '/sign-in/email'
const send = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  t.client().request(signIn, { method: 'POST', headers, body })

test.each([
  ['broken JSON', '{"email": ', 400, 'INVALID_JSON'],
  ['a JSON scalar', '"text"', 400, 'INVALID_JSON'],
  ['a list', '[]', 400, 'VALIDATION_ERROR'],
  ['wrong types', '{"email": {"$ne": null}, "password": []}', 400, 'VALIDATION_ERROR'],
  ['a prototype key', '{"__proto__": {"role": "admin"}}', 400, 'VALIDATION_ERROR'],
  ['deep nesting', `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`, 400, 'VALIDATION_ERROR'],
  [
    'too many fields',
    JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, 1]))),
    400,
    'VALIDATION_ERROR',
  ],
  ['a body of 1 MB', JSON.stringify({ email: 'x'.repeat(1_000_000) }), 413, 'BODY_TOO_LARGE'],
])('a request with %s gets a JSON error with its code', async (_, body, status, code) => {
  const answer = await send(body)
  expect([answer.status, answer.json['code']]).toEqual([status, code])
  expect(answer.json['message']).toEqual(expect.any(String))
})

test.each([
  ['text', { 'content-type': 'text/plain' }, 400, 'VALIDATION_ERROR'],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 400, 'VALIDATION_ERROR'],
  ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
])('a sign-in sent as %s is refused', async (_, headers, status, code) => {
  const answer = await send('{"email":"a@b.cd","password":"12345678"}', headers)
  expect([answer.status, answer.json['code']]).toEqual([status, code])
})

const credentials = '{"email":"a@b.cd","password":"12345678"}'
const utf16 = Buffer.from(credentials, 'utf16le')

test.each([
  ['in UTF-16', utf16, 'application/json; charset=utf-16', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['in UTF-16LE', utf16, 'application/json;charset="UTF-16LE"', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['in UTF-7', credentials, 'application/json; charset=utf-7', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['in UTF-32', credentials, 'application/json; charset=utf-32', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['in UTF-16 without a declaration', utf16, 'application/json', 400, 'INVALID_JSON'],
  [
    'with a byte that is not UTF-8',
    Buffer.from(credentials.replace('a@', '\u00ff@'), 'latin1'),
    'application/json',
    400,
    'INVALID_JSON',
  ],
])('a sign-in whose JSON is %s is refused', async (_, body, type, status, code) => {
  const answer = await t.client().request(signIn, { method: 'POST', headers: { 'content-type': type }, body })
  expect([answer.status, answer.json['code']]).toEqual([status, code])
})

test('a JSON body in UTF-8 is accepted with or without a charset and with a byte order mark', async () => {
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON ;charset="UTF-8"']) {
    const answer = await t
      .client()
      .request(signIn, { method: 'POST', headers: { 'content-type': type }, body: `\ufeff${credentials}` })
    expect([answer.status, answer.json['code']]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
  }
})

test.each(['__proto__', 'constructor', 'prototype'])(
  'the field name %s is refused at the top of an otherwise valid body',
  async (name) => {
    const answer = await send(credentials.replace('{', `{"${name}":{"role":"admin"},`))
    expect(answer.json).toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: name, message: 'this name is not accepted' }],
    })
  },
)

test('an error response names at most fifty invalid values of a body', () => {
  const body = { names: Array.from({ length: 500 }, () => 1) }
  const refused = expect.objectContaining({ code: 'VALIDATION_ERROR', issues: expect.objectContaining({ length: 50 }) })
  expect(() => parseBody(z.object({ names: z.array(z.string()) }), body)).toThrow(refused)
})

test('an unknown route or a wrong method gets a JSON 404 with the methods of the path', async () => {
  const client = t.client()
  expect((await client.request('/nothing')).json).toEqual({ code: 'NOT_FOUND', message: 'Not found' })
  expect((await client.post('/get-session')).json).toEqual({
    code: 'NOT_FOUND',
    message: 'Not found: this path answers GET, not POST',
  })
  expect((await client.request('/change-password')).json['message']).toContain('POST')
  expect((await client.request('/set-password', { method: 'POST' })).status).toBe(404)
  expect((await client.request('/GET-SESSION')).status).toBe(404)
})

test('a repeated query parameter is refused', async () => {
  const answer = await t.client().request('/get-session?disableRefresh=true&disableRefresh=false')
  expect([answer.status, answer.json['code'], answer.json['message']]).toEqual([
    400,
    'VALIDATION_ERROR',
    'Invalid query parameters',
  ])
})

test('a request that can start a session or contains a cookie must come from a trusted origin', async () => {
  const credentials = { email: 'a@b.cd', password: '12345678' }
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '', referer: 'https://evil.example/x' },
    { origin: '', 'sec-fetch-site': 'cross-site' },
    { origin: '', 'sec-fetch-site': 'same-site' },
  ]) {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')) as Record<string, string>
    const answer = await fetch(t.url + signIn, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sent },
      body: JSON.stringify(credentials),
    })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, 'INVALID_ORIGIN'])
  }
  const withCookie = await fetch(`${t.url}/sign-out`, { method: 'POST', headers: { cookie: 'gatehouse.session=x' } })
  expect(withCookie.status).toBe(403)
  const plain = await fetch(t.url + signIn, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  expect(plain.status).toBe(401)
})

const securityHeaders = {
  'content-security-policy':
    "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';frame-ancestors 'none';base-uri 'none';object-src 'none';form-action 'self'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}
/** Response headers that do not depend on the body, the connection or the request. */
const isOfPolicy = (name: string) =>
  !/^(content-(type|length|encoding)|etag|cache-control|vary|date|connection|keep-alive|x-request-id|set-cookie)$/.test(name)

test('every response has exactly the listed headers besides the headers about its body', async () => {
  for (const path of ['/ok', '/nothing', '/get-session', '/openapi.json', '/sign-in', '/sign-out']) {
    const { headers } = await t.client().request(path)
    const sent = Object.fromEntries([...headers].filter(([name]) => isOfPolicy(name)))
    // The policy of pages allows exactly the inline styles that they contain.
    const policy = sent['content-security-policy']?.replaceAll(/ 'sha256-[\w+/=]{44}'/g, '')
    // Under this policy browsers send the origin of a form.
    const form = path === '/sign-in' ? { 'referrer-policy': 'same-origin' } : {}
    expect({ ...sent, 'content-security-policy': policy }, path).toEqual({ ...securityHeaders, ...form })
  }
})

test('with an https address responses have Strict-Transport-Security for a year', async () => {
  const secure = await t.node({ url: 'https://id.example', http: { strictHost: 'off' } })
  const { headers } = await secure.client().request('/ok')
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
  await secure.stop()
})

test('every response has the security headers and a request id', async () => {
  for (const path of ['/ok', '/nothing', '/get-session']) {
    const { headers } = await t.client().request(path)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('x-powered-by')).toBeNull()
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
    expect(headers.get('strict-transport-security')).toBeNull()
  }
  expect((await t.client().request('/ok', { headers: { 'x-request-id': 'mine-1' } })).headers.get('x-request-id')).toBe('mine-1')
  expect((await t.client().request('/ok', { headers: { 'x-request-id': 'bad id<>' } })).headers.get('x-request-id')).toMatch(
    /^[\w-]{36}$/,
  )
})

/** Returns the response to a request with exactly this address, which `fetch` would normalize. */
const raw = (text: string) =>
  new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(t.url).port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (data) => {
      answer += data
      socket.end()
    })
    socket.on('close', () => resolve(answer))
  })

test('a path in another spelling than the canonical one is not found', async () => {
  const host = new URL(t.url).host
  const status = async (target: string, method = 'GET') =>
    Number((await raw(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).slice(9, 12))
  for (const target of ['/ok', '/ok?x#y', '/api/auth/ok', '/api/auth/get-session?a=b'])
    expect(await status(target), target).toBe(200)
  for (const target of [
    '*',
    `http://${host}/ok`,
    'other://ok',
    '//ok',
    '/ok/',
    '/ok#x',
    '/ok#?x',
    '/%6Fk',
    '/./ok',
    '/nothing/../ok',
    '/API/auth/ok',
    '/api/auth',
    '/api/auth/',
    '/api/auth//ok',
    '/api/auth/ok/',
    '/api/auth/api/auth/ok',
    '/api/auth/%',
    '/%',
    '/callback/%',
    '/callback/%2e%2e',
    '/callback/a%2Fb',
    '/callback/',
  ])
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) expect(await status(target, method), `${method} ${target}`).toBe(404)
})

test('unused methods, two Host headers and malformed absolute addresses are refused and do not stop the server', async () => {
  expect(await raw('TRACE /ok HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 404/)
  for (const path of ['/ok', '/oauth2/token', '/nothing'])
    expect(await raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nHOST: other.example\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400/)
  expect(await raw('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
  expect((await t.client().request('/ok')).json).toEqual({ ok: true })
})
