import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createInstanceRoles } from '../../src/access/roles.ts'
import { changeByUse, deviceOf } from '../../src/authentication/sessions/rules.ts'
import { createSecrets } from '../../src/core/crypto.ts'
import { networkOf } from '../../src/core/network.ts'
import { systemRandom } from '../../src/core/random.ts'
import { createSessionCache } from '../../src/http/session-cache.ts'

test.each([
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  [
    'Chrome on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  ],
  [
    'Edge on Windows',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
  ],
  [
    'Safari on macOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  ],
  [
    'Safari on iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1',
  ],
  ['Chrome on iPad', 'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile Safari/604.1'],
  ['Chrome on Android', 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36'],
  [
    'Samsung Internet on Android',
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36',
  ],
  ['Opera on Linux', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 OPR/120.0'],
  ['Chrome on ChromeOS', 'Mozilla/5.0 (X11; CrOS x86_64 15000.0.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'],
  ['curl', 'curl/8.9.1'],
  ['Unknown browser on Linux', 'Something (X11; Linux)'],
  ['Unknown device', ''],
  ['Unknown device', 'evil.example/1.0'],
  ['Unknown device', '<script>alert(1)</script>/1'],
])('the device of a user agent is described as %s', (device, userAgent) => {
  expect(deviceOf(userAgent)).toBe(device)
})

test('the network of an IPv4 address is its first three numbers', () => {
  expect(networkOf('192.0.2.77')).toBe('192.0.2')
  expect(networkOf('2001:db8:1:2::3')).toBe('2001:db8:1')
  expect(networkOf('2001:DB8::3')).toBe(networkOf('2001:db8:0:1::3'))
  expect(networkOf('')).toBe('')
})

const day = 86_400
const life = { expiresInSeconds: 7 * day, updateAgeSeconds: day, absoluteExpiresInSeconds: 30 * day, lastUseSeconds: 3_600 }

test('using a session never shortens it or extends it past its absolute end, and extends it only with rememberMe', () => {
  const seconds = fc.integer({ min: 0, max: 40 * day })
  fc.assert(
    fc.property(fc.boolean(), seconds, seconds, fc.integer({ min: 1, max: 7 * day }), (rememberMe, age, unused, left) => {
      const now = new Date(2_000_000_000_000)
      const createdAt = new Date(now.getTime() - age * 1000)
      const updatedAt = new Date(Math.max(createdAt.getTime(), now.getTime() - unused * 1000))
      const absolute = createdAt.getTime() + life.absoluteExpiresInSeconds * 1000
      const expiresAt = new Date(Math.min(now.getTime() + left * 1000, absolute))
      const change = changeByUse({ rememberMe, createdAt, updatedAt, expiresAt }, now, life)
      if (change === undefined) return now.getTime() - updatedAt.getTime() < life.lastUseSeconds * 1000
      const isLonger = change.expiresAt > expiresAt
      return (
        isLonger === change.extended &&
        change.expiresAt >= expiresAt &&
        change.expiresAt.getTime() <= absolute &&
        (rememberMe || !isLonger)
      )
    }),
  )
})

const { permissionsOfRoles } = createInstanceRoles({})

test('a session cache is rejected with another version or secret, or after a ban of its user', () => {
  const clock = { now: () => new Date(1_000_000), after: (s: number) => new Date(1_000_000 + s * 1000) }
  const make = (secret: string, cookieCacheVersion: number) => {
    const secrets = createSecrets([secret.repeat(40)], systemRandom)
    return createSessionCache(
      'https://id.example',
      secrets,
      clock,
      { cookieCacheSeconds: 60, cookieCacheVersion, isRecentlyBanned: (id) => id === 'banned' },
      permissionsOfRoles,
    )
  }
  const at = new Date(0)
  const source = { address: '', userAgent: '', requestId: '' }
  const session = {
    id: 's',
    token: 'T',
    userId: 'u',
    expiresAt: clock.after(9),
    createdAt: at,
    updatedAt: at,
    ipAddress: '',
    userAgent: '',
    rememberMe: true,
    activeOrganizationId: null,
    activeTeamId: null,
    impersonatedBy: null,
    factors: 1,
    provenAt: at,
    lacksSecondFactor: false,
  }
  const user = {
    id: 'u',
    name: 'U',
    email: 'u@example.com',
    emailVerified: true,
    image: null,
    role: 'support',
    language: null,
    username: null,
    twoFactorEnabled: false,
    fields: { team: 'red', seats: 3, beta: null },
    createdAt: at,
    updatedAt: at,
  }
  const permissions = permissionsOfRoles(user.role)
  const principal = { kind: 'user', ...source, session, user, permissions } as const
  const cache = make('a', 1)
  const value = cache?.encode(principal)
  expect(cache?.name).toBe('__Host-gatehouse.session_data')
  expect(cache?.decode(value, 'T', source)).toEqual(principal)
  expect(cache?.decode(value, 'U', source)).toBeUndefined()
  const banned = { ...principal, user: { ...user, id: 'banned' } }
  expect(cache?.decode(cache.encode(banned), 'T', source)).toBeUndefined()
  expect(make('a', 2)?.decode(value, 'T', source)).toBeUndefined()
  expect(make('b', 1)?.decode(value, 'T', source)).toBeUndefined()
  expect(cache?.encode({ ...principal, user: { ...user, name: 'x'.repeat(4000) } })).toBeUndefined()
})
