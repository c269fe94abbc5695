import { expect, test } from 'vitest'
import { authenticatorName } from '../../src/authentication/methods/passkey/authenticators.ts'
import {
  addressProblem,
  isCounterBack,
  isSecondFactorAlone,
  methodOf,
  pageProblem,
  rpIdProblem,
} from '../../src/authentication/methods/passkey/rules.ts'
import { configSchema } from '../../src/composition.ts'
import { ConfigError, loadConfig } from '../../src/core/config.ts'

const problemsOf = (flags: Record<string, unknown>): readonly string[] => {
  try {
    loadConfig(configSchema, { env: {}, flags })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('the RP id is the host of the public address or a domain above it, and not a top-level domain', () => {
  expect(rpIdProblem('id.example.com', 'id.example.com')).toBeUndefined()
  expect(rpIdProblem('example.com', 'id.example.com')).toBeUndefined()
  expect(rpIdProblem('localhost', 'localhost')).toBeUndefined()
  for (const [rpId, host] of [
    ['other.example.com', 'id.example.com'],
    ['ample.com', 'example.com'],
    ['id.example.com', 'example.com'],
    ['com', 'example.com'],
    ['0.1', '127.0.0.1'],
  ] as const)
    expect(rpIdProblem(rpId, host), rpId).toContain(rpId)
})

test('browsers offer passkeys on https and on localhost, and for no IP address', () => {
  for (const url of ['https://id.example.com', 'http://localhost:3000', 'http://id.localhost'])
    expect(addressProblem(url), url).toBeUndefined()
  expect(addressProblem('http://127.0.0.1:3000')).toBe('passkeys-ip')
  expect(addressProblem('https://[::1]')).toBe('passkeys-ip')
  expect(addressProblem('http://id.example.com')).toBe('passkeys-http')
})

test('an RP id that does not fit the public address stops the start with a message', () => {
  const url = 'https://id.example.com'
  const rest = { url, smtpUrl: 'smtp://localhost', databaseUrl: 'sqlite::memory:' }
  const about = (passkeys: object) => problemsOf({ ...rest, passkeys }).filter((line) => line.includes('passkeys'))
  expect(about({ rpId: 'example.com' })).toEqual([])
  expect(about({ rpId: 'example.org' })).toEqual([
    expect.stringContaining('example.org is neither id.example.com, the host of the public address, nor a domain above it'),
  ])
  expect(about({ rpId: 'com' })).toEqual([expect.stringContaining('top-level domain')])
  expect(about({ rpId: 'Example.com' })).toContainEqual(expect.stringContaining('a domain in lower case'))
})

test('further passkey origins are https, http on loopback, or Android applications, without a path', () => {
  const about = (origin: string) => problemsOf({ passkeys: { origins: [origin] } }).filter((line) => line.includes('passkeys'))
  for (const origin of ['https://app.example.com', 'http://localhost:4000', `android:apk-key-hash:${'a'.repeat(43)}`])
    expect(about(origin), origin).toEqual([])
  for (const origin of ['http://app.example.com', 'https://app.example.com/', 'app.example.com', 'android:apk-key-hash:x', ''])
    expect(about(origin), origin).toHaveLength(1)
})

test('a passkey page is accepted if its origin is listed, its ceremony is the expected one and it is in no foreign frame', () => {
  const party = { id: 'example.com', name: '', origins: ['https://example.com'] }
  const data = { type: 'webauthn.get', origin: 'https://example.com' }
  expect(pageProblem(data, 'webauthn.get', party)).toBeUndefined()
  expect(pageProblem(data, 'webauthn.create', party)).toContain('webauthn.get')
  expect(pageProblem({ ...data, origin: 'https://example.com.evil.example' }, 'webauthn.get', party)).toContain('evil')
  expect(pageProblem({ ...data, crossOrigin: true }, 'webauthn.get', party)).toContain('frame')
})

test('a passkey counter is rejected if it did not grow, or if it is zero after a higher value', () => {
  const cases = [
    [0, 0, false],
    [0, 5, false],
    [5, 0, true],
    [5, 6, false],
    [5, 5, true],
    [5, 4, true],
  ] as const
  for (const [stored, received, isBack] of cases) expect(isCounterBack(stored, received), `${stored} ${received}`).toBe(isBack)
})

test('user verification makes a passkey count as two factors, and a synchronized passkey counts as software', () => {
  expect(methodOf({ userVerified: true, backupEligible: true })).toEqual({
    name: 'passkey',
    amr: ['swk', 'user'],
    factors: ['possession', 'inherence'],
    isPhishingResistant: true,
  })
  expect(methodOf({ userVerified: false, backupEligible: false })).toMatchObject({
    name: 'security-key',
    amr: ['hwk', 'user'],
    factors: ['possession'],
  })
  const flags = [true, false].flatMap((userVerified) => [true, false].map((backupEligible) => ({ userVerified, backupEligible })))
  expect(flags.map(isSecondFactorAlone)).toEqual([false, false, false, true])
})

test('authenticators that reveal their model have a name, and other authenticators have none', () => {
  expect(authenticatorName('EA9B8D66-4D01-1D21-3CE4-B6B48CB575D4')).toBe('Google Password Manager')
  expect(authenticatorName('00000000-0000-0000-0000-000000000000')).toBeUndefined()
})
