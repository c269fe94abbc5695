import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { lengthProblem } from '../../src/accounts/rules.ts'
import { createSecrets } from '../../src/core/crypto.ts'
import { systemEntropy } from '../../src/core/entropy.ts'
import { parseEmail } from '../../src/core/wire.ts'
import { readBody } from '../../src/http/body.ts'
import { createSessionCookie, formatCookie, parseCookies } from '../../src/http/cookies.ts'
import { createRouteTable } from '../../src/http/find-route.ts'
import { createClientAddress, limitAddress } from '../../src/http/origin.ts'
import { limitsApply } from '../../src/limits/config.ts'

const secrets = createSecrets(['a secret a secret a secret a secret 123'], systemEntropy)

test('the session cookie is __Host- and Secure on https, plain on http', () => {
  expect(createSessionCookie('https://id.example', secrets, 3600).name).toBe('__Host-gatehouse.session')
  expect(createSessionCookie('http://localhost:3000', secrets, 3600).name).toBe('gatehouse.session')
  expect(formatCookie('a', 'b', true, { maxAge: 99_999_999 })).toBe(
    'a=b; Max-Age=34560000; Path=/; HttpOnly; Secure; SameSite=Lax',
  )
})

test('only a correctly signed session cookie carries a token', () => {
  const cookie = createSessionCookie('http://localhost', secrets, 3600)
  const value = cookie.encode('Token123')
  expect(cookie.decode(value)).toBe('Token123')
  for (const wrong of ['Token123', 'Token123.', `Other${value.slice(5)}`, value.slice(0, -3), '', 'x'.repeat(600), '%'])
    expect(cookie.decode(wrong), wrong).toBeUndefined()
})

test('of two cookies with one name the first counts', () => {
  expect(parseCookies('a=1; b=2; a=3; c').get('a')).toBe('1')
  expect(parseCookies(undefined).size).toBe(0)
})

const route = (method: string, path: string, access = 'anonymous') =>
  ({ name: path, endpoint: { method, path, access }, handle: () => null }) as never

test('routes match exactly: no other case, no empty, dot or encoded-slash segment', () => {
  const table = createRouteTable([route('GET', '/ok'), route('GET', '/oauth2/client/:id'), route('POST', '/ok')])
  expect(table.find('GET', '/ok')).toBeDefined()
  expect(table.find('HEAD', '/ok')).toBeDefined()
  expect(createRouteTable([route('GET', '/verify-email', 'public')]).find('HEAD', '/verify-email')).toBeUndefined()
  expect(table.find('GET', '/oauth2/client/a%20b')?.params).toEqual({ id: 'a b' })
  for (const path of [
    '/OK',
    '//ok',
    '/ok/',
    '/oauth2/client/',
    '/oauth2/client/..',
    '/oauth2/client/a%2Fb',
    '/oauth2/client/%',
    '/oauth2/client/a%00',
  ])
    expect(table.find('GET', path), path).toBeUndefined()
  expect(table.methods('/ok')).toEqual(['GET', 'POST'])
})

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as never

test('a forwarded address is believed from trusted proxies only, right-most untrusted hop', () => {
  const address = createClientAddress(['10.0.0.0/8', '::1'], 'x-forwarded-for')
  expect(address(request('203.0.113.9', '1.2.3.4'))).toBe('203.0.113.9')
  expect(address(request('10.1.1.1', '6.6.6.6, 198.51.100.7, 10.2.2.2'))).toBe('198.51.100.7')
  expect(address(request('::ffff:10.1.1.1', '198.51.100.7'))).toBe('198.51.100.7')
  expect(address(request('10.1.1.1', 'garbage'))).toBe('10.1.1.1')
  expect(address(request('10.1.1.1'))).toBe('10.1.1.1')
  expect(createClientAddress([], 'x-forwarded-for')(request('10.1.1.1', '6.6.6.6'))).toBe('10.1.1.1')
})

test('limits count an IPv6 client by its /64', () => {
  expect(limitAddress('2001:db8:1:2:3:4:5:6')).toBe(limitAddress('2001:db8:1:2::9'))
  expect(limitAddress('2001:db8:1:2::1')).not.toBe(limitAddress('2001:db8:1:3::1'))
  expect(limitAddress('::1')).toBe('0:0:0:0')
  expect(limitAddress('192.0.2.1')).toBe('192.0.2.1')
})

test('limits are on by default except for http on loopback', () => {
  expect(limitsApply('auto', 'http://localhost:3000')).toBe(false)
  expect(limitsApply('auto', 'http://127.0.0.1:3000')).toBe(false)
  expect(limitsApply('auto', 'http://localhost.evil.example')).toBe(true)
  expect(limitsApply('auto', 'https://id.example')).toBe(true)
  expect(limitsApply('on', 'http://localhost:3000')).toBe(true)
  expect(limitsApply('off', 'https://id.example')).toBe(false)
})

test('an address is lower-cased; what is none is refused', () => {
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

test('password length counts code points', () => {
  const limits = { minLength: 8, maxLength: 128 }
  expect(lengthProblem('😀'.repeat(7), limits)).toBe('PASSWORD_TOO_SHORT')
  expect(lengthProblem('😀'.repeat(8), limits)).toBeUndefined()
  expect(lengthProblem('a'.repeat(129), limits)).toBe('PASSWORD_TOO_LONG')
})

test('a body that comes byte by byte holds memory for its length, not for its parts', async () => {
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
