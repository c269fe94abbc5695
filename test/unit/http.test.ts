import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { lengthProblem } from '../../src/authentication/methods/password/policy.ts'
import { createSecrets } from '../../src/core/crypto.ts'
import { systemRandom } from '../../src/core/random.ts'
import { withQuery } from '../../src/core/web.ts'
import { parseEmail } from '../../src/core/wire.ts'
import { readBody } from '../../src/http/body.ts'
import { createSessionCookie, formatCookie, parseCookies } from '../../src/http/cookies.ts'
import { createClientAddress, hopAddress, limitAddress } from '../../src/http/origin.ts'
import { createApiRouter } from '../../src/http/router.ts'
import { limitsApply } from '../../src/limits/config.ts'

const secrets = createSecrets(['a secret a secret a secret a secret 123'], systemRandom)

test('the session cookie is __Host- and Secure on https, and plain on http', () => {
  expect(createSessionCookie('https://id.example', secrets, 3600).name).toBe('__Host-gatehouse.session')
  expect(createSessionCookie('http://localhost:3000', secrets, 3600).name).toBe('gatehouse.session')
  expect(formatCookie('a', 'b', true, { maxAge: 99_999_999 })).toBe(
    'a=b; Max-Age=34560000; Path=/; HttpOnly; Secure; SameSite=Lax',
  )
})

test('only a correctly signed session cookie gives a token', () => {
  const cookie = createSessionCookie('http://localhost', secrets, 3600)
  const value = cookie.encode('Token123')
  expect(cookie.decode(value)).toBe('Token123')
  for (const wrong of ['Token123', 'Token123.', `Other${value.slice(5)}`, value.slice(0, -3), '', 'x'.repeat(600), '%'])
    expect(cookie.decode(wrong), wrong).toBeUndefined()
})

test('the first of two cookies with one name is used', () => {
  expect(parseCookies('a=1; b=2; a=3; c').get('a')).toBe('1')
  expect(parseCookies(undefined).size).toBe(0)
})

const route = (method: string, path: string, access = 'anonymous') =>
  ({ name: path, endpoint: { method, path, access }, handle: () => null }) as never

/** The result of the router: path and parameters of the call, or the methods of a path without this one, or nothing. */
const ask = (routes: readonly never[], method: string, url: string) =>
  new Promise((resolve) => {
    const router = createApiRouter(routes, {
      call:
        ({ name }) =>
        ({ params }) =>
          resolve({ name, params: { ...params } }),
      otherwise:
        ({ methods }) =>
        () =>
          resolve(methods),
    })
    router({ method, url } as never, {} as never, (error: unknown) => resolve(error instanceof URIError ? undefined : error))
  })

test('routes match exactly: no other case, and no empty, dot or encoded-slash segment', async () => {
  const routes = [
    route('GET', '/oauth2/client/:id'),
    route('GET', '/oauth2/client/new', 'public'),
    route('GET', '/ok'),
    route('POST', '/ok'),
  ]
  const found = (method: string, url: string) => ask(routes, method, url)
  expect(await found('GET', '/ok?x=/y')).toEqual({ name: '/ok', params: {} })
  expect(await found('HEAD', '/ok')).toEqual({ name: '/ok', params: {} })
  expect(await found('GET', '/oauth2/client/a%20b')).toEqual({ name: '/oauth2/client/:id', params: { id: 'a b' } })
  expect(await found('GET', '/oauth2/client/new')).toEqual({ name: '/oauth2/client/new', params: {} })
  for (const path of [
    '/',
    '/OK',
    '//ok',
    '/ok/',
    '/oauth2',
    '/oauth2/',
    '/OAUTH2/client/a',
    '/oauth2//client/a',
    '/oauth2/client/',
    '/oauth2/client/a/',
    '/oauth2/client/..',
    '/oauth2/client/%2E%2e',
    '/oauth2/client/a%2Fb',
    '/oauth2/client/a%5Cb',
    '/oauth2/client/%',
    '/oauth2/client/a%00',
  ])
    for (const method of ['GET', 'POST', 'OPTIONS']) expect(await found(method, path), `${method} ${path}`).toBeUndefined()
})

test('the answer for a path without the requested method names the methods of the path', async () => {
  const routes = [route('POST', '/ok'), route('GET', '/ok'), route('GET', '/verify-email', 'public')]
  expect(await ask(routes, 'DELETE', '/ok')).toEqual(['GET', 'POST'])
  expect(await ask(routes, 'OPTIONS', '/ok')).toEqual(['GET', 'POST'])
  expect(await ask(routes, 'HEAD', '/verify-email'), 'HEAD is where GET is').toEqual({ name: '/verify-email', params: {} })
})

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as never

test('a forwarded client address is read only from trusted proxies, and is the right-most untrusted hop', () => {
  const address = createClientAddress(['10.0.0.0/8', '::1'], 'x-forwarded-for')
  expect(address(request('203.0.113.9', '1.2.3.4'))).toBe('203.0.113.9')
  expect(address(request('10.1.1.1', '6.6.6.6, 198.51.100.7, 10.2.2.2'))).toBe('198.51.100.7')
  expect(address(request('::ffff:10.1.1.1', '198.51.100.7'))).toBe('198.51.100.7')
  expect(address(request('10.1.1.1', 'garbage'))).toBe('10.1.1.1')
  expect(address(request('10.1.1.1'))).toBe('10.1.1.1')
  expect(createClientAddress([], 'x-forwarded-for')(request('10.1.1.1', '6.6.6.6'))).toBe('10.1.1.1')
})

test.each([
  ['192.0.2.60', '192.0.2.60'],
  ['192.0.2.60:47011', '192.0.2.60'],
  ['192.0.2.60:_port', '192.0.2.60'],
  ['2001:db8::17', '2001:db8::17'],
  ['[2001:db8::17]', '2001:db8::17'],
  ['[2001:DB8:0:0::17]:4711', '2001:db8::17'],
  ['2001:0db8:0000:0000:0000:0000:0000:0017:46532', '2001:db8::17'],
  ['"192.0.2.60:47011"', '192.0.2.60'],
  ['::ffff:192.0.2.60', '192.0.2.60'],
  ['::FFFF:c000:023c', '192.0.2.60'],
  ['[::ffff:192.0.2.60]:80', '192.0.2.60'],
  ['fe80::1%eth0', 'fe80::1'],
  ['for=192.0.2.60', '192.0.2.60'],
  ['for=192.0.2.60:47011;proto=http;by=203.0.113.43', '192.0.2.60'],
  ['proto=https; For="[2001:db8:cafe::17]:4711" ;host=id.example', '2001:db8:cafe::17'],
  ['unknown', undefined],
  ['host="x;for=192.0.2.1;y";for=192.0.2.60', '192.0.2.60'],
  ['for=192.0.2.1;for=192.0.2.60', undefined],
  ['for=192.0.2.1";for=192.0.2.60', undefined],
  ['for=192.0.2.1;a=";for=192.0.2.60', undefined],
  ['for=unknown', undefined],
  ['for="_mystery"', undefined],
  ['by=203.0.113.43', undefined],
  ['x-for=203.0.113.43', undefined],
  ['for="192.0.2.60', undefined],
  ['[192.0.2.60]x', undefined],
  ['192.0.2', undefined],
  ['192.0.2.60.1:80', undefined],
  ['0x7f000001', undefined],
  ['id.example:80', undefined],
  ['', undefined],
])('the address of the hop %s is %s', (hop, address) => expect(hopAddress(hop)).toBe(address))

test("text that a client puts before its proxy's element is ignored, even an open quotation mark or another name", () => {
  const address = createClientAddress(['10.0.0.0/8'], 'Forwarded')
  const request = (forwarded: string) => ({ socket: { remoteAddress: '10.1.1.1' }, headers: { forwarded } }) as never
  for (const given of [
    'for="',
    'for="a, b',
    'for=1.2.3.4;',
    'garbage',
    '',
    'for=10.2.2.2',
    'for=1.2.3.4;for=',
    'for=1.2.3.4;a="',
  ])
    expect(address(request(`${given}, for=198.51.100.7;proto=https`))).toBe('198.51.100.7')
  expect(address(request('for=198.51.100.7, for="10.2.2.2:80",,'))).toBe('198.51.100.7')
})

test('a hop without a client address is reported, and the proxy counts as the client', () => {
  const told: string[] = []
  const address = createClientAddress(['10.0.0.0/8'], 'x-forwarded-for', (hop) => told.push(hop))
  const request = (value?: string) => ({ socket: { remoteAddress: '10.1.1.1' }, headers: { 'x-forwarded-for': value } }) as never
  expect(address(request('198.51.100.7, unknown'))).toBe('10.1.1.1')
  for (const value of ['garbage, 198.51.100.7', '', undefined]) address(request(value))
  expect(told).toEqual(['unknown'])
})

test('rate limits count an IPv6 client by its /64', () => {
  expect(limitAddress('2001:db8:1:2:3:4:5:6')).toBe(limitAddress('2001:db8:1:2::9'))
  expect(limitAddress('2001:db8:1:2::1')).not.toBe(limitAddress('2001:db8:1:3::1'))
  expect(limitAddress('::1')).toBe('0:0:0:0')
  expect(limitAddress('192.0.2.1')).toBe('192.0.2.1')
})

test('rate limits are on by default except for http on loopback', () => {
  expect(limitsApply('auto', 'http://localhost:3000')).toBe(false)
  expect(limitsApply('auto', 'http://127.0.0.1:3000')).toBe(false)
  expect(limitsApply('auto', 'http://localhost.evil.example')).toBe(true)
  expect(limitsApply('auto', 'https://id.example')).toBe(true)
  expect(limitsApply('on', 'http://localhost:3000')).toBe(true)
  expect(limitsApply('off', 'https://id.example')).toBe(false)
})

test('an email address is lower-cased, and invalid text is refused', () => {
  expect(parseEmail(' Ann@Example.COM ')).toBe('ann@example.com')
  for (const wrong of [
    '',
    'ann',
    'ann@',
    '@example.com',
    'a b@example.com',
    'ann@example.com\r\nBcc: x@y.z',
    'a@x, b@y',
    `${'a'.repeat(250)}@example.com`,
  ])
    expect(parseEmail(wrong), wrong).toBeUndefined()
})

test('the length of a password is counted in code points', () => {
  const limits = { minLength: 8, maxLength: 128 }
  expect(lengthProblem('😀'.repeat(7), limits)).toBe('PASSWORD_TOO_SHORT')
  expect(lengthProblem('😀'.repeat(8), limits)).toBeUndefined()
  expect(lengthProblem('a'.repeat(129), limits)).toBe('PASSWORD_TOO_LONG')
})

test('a body that arrives byte by byte uses memory for its length, not for the number of its parts', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const held = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const length = 50_000
  const request = Object.assign(new Readable({ read: () => undefined }), { headers: { 'transfer-encoding': 'chunked' } })
  const body = readBody(request as never, 'raw')
  const before = held()
  for (let sent = 0; sent < length; sent += 1) {
    request.push(Buffer.from('a'))
    await new Promise(setImmediate)
  }
  expect(held() - before).toBeLessThan(20 * length)
  request.push(null)
  expect((await body) as Buffer).toEqual(Buffer.alloc(length, 'a'))
})

test('query parameters are added to an address before its fragment', () => {
  expect(withQuery('/a', { error: 'X' })).toBe('/a?error=X')
  expect(withQuery('/a?b=1#c', { token: 't&u' })).toBe('/a?b=1&token=t%26u#c')
})
