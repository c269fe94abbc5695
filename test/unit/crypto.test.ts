import { expect, test } from 'vitest'
import { createPasswords, createSecrets, type Sealed, safeEqual, secretIdOf, sha256 } from '../../src/core/crypto.ts'
import { createMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'

const light = { memoryKib: 8, timeCost: 1, parallelism: 1 }
const requester = { isKnown: true, network: '' }
const passwords = createPasswords(light, systemRandom, createMetrics())
const [older, newer] = ['older secret older secret older secret', 'newer secret newer secret newer secret']

test('a password verifies only against its own hash, even in another Unicode form', async () => {
  const hash = await passwords.hash('cafe\u0301 12345', requester)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=8,/)
  expect(await passwords.verify(hash, 'caf\u00e9 12345', requester)).toBe(true)
  expect(await passwords.verify(hash, 'cafe 12345', requester)).toBe(false)
})

test('an unknown user and an unreadable hash count as a wrong password, and not as an error', async () => {
  expect(await passwords.verify(undefined, 'whatever 1', requester)).toBe(false)
  expect(await passwords.verify('not a hash', 'whatever 1', requester)).toBe(false)
})

test('hashes made with other parameters are outdated', async () => {
  const hash = await passwords.hash('whatever 1', requester)
  expect(passwords.isOutdated(hash)).toBe(false)
  expect(createPasswords({ ...light, timeCost: 2 }, systemRandom, createMetrics()).isOutdated(hash)).toBe(true)
  expect(passwords.isOutdated('$2b$10$abcdefghijklmnopqrstuv')).toBe(true)
})

test('hashing is refused with a time to retry when too many hashes are waiting', async () => {
  const results = await Promise.allSettled(Array.from({ length: 120 }, () => passwords.hash('whatever 1', requester)))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  for (const result of refused)
    expect(result.reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, retryAfterSeconds: 2 })
  expect(await passwords.hash('works again', requester)).toContain('$argon2id$')
})

test('a sealed value opens with the same context and any configured master secret', () => {
  const sealed = createSecrets([older], systemRandom).seal('private key', 'signing_key.private.1')
  expect(sealed).toMatch(/^01[0-9a-f]+$/)
  const rotated = createSecrets([newer, older], systemRandom)
  expect(rotated.open(sealed, 'signing_key.private.1')).toBe('private key')
  expect(() => rotated.open(sealed, 'signing_key.private.2')).toThrow()
  expect(() => createSecrets([newer], systemRandom).open(sealed, 'signing_key.private.1')).toThrow('no configured secret opens')
  const flipped = sealed.slice(0, -1) + (sealed.endsWith('0') ? '1' : '0')
  expect(() => rotated.open(flipped as Sealed, 'signing_key.private.1')).toThrow()
})

test('a retired master secret decrypts but never encrypts, and its signatures end with the lifetime of the signed object', () => {
  let now = new Date('2026-01-01T00:00:00Z')
  const clock = { now: () => now, after: (seconds: number) => new Date(now.getTime() + seconds * 1000) }
  const before = createSecrets([older], systemRandom, clock)
  const [sealed, signature] = [before.seal('value', 'c'), before.sign('invitation', 'x')]
  const rotated = createSecrets([newer, older], systemRandom, clock)
  expect(secretIdOf(rotated.seal('value', 'c'))).toBe(rotated.ids[0])
  expect([rotated.ids[1], secretIdOf(sealed)]).toEqual([before.ids[0], before.ids[0]])
  rotated.noteLastSigned(new Map([[before.ids[0] ?? '', now]]))
  now = new Date('2026-01-01T00:59:59Z')
  expect(rotated.isSigned('invitation', 'x', signature, 3600)).toBe(true)
  now = new Date('2026-01-01T01:00:00Z')
  expect(rotated.isSigned('invitation', 'x', signature, 3600)).toBe(false)
  expect(rotated.isSigned('invitation', 'x', signature, 3601)).toBe(true)
  expect(rotated.verifyingKeys('email-verification', 3600)).toHaveLength(1)
  // The newest secret signs even if it is noted as retired, and sealed values open without a time limit.
  rotated.noteLastSigned(new Map([[rotated.ids[0] ?? '', new Date(0)]]))
  expect(rotated.isSigned('invitation', 'x', rotated.sign('invitation', 'x'), 1)).toBe(true)
  expect(rotated.open(sealed, 'c')).toBe('value')
})

test('sealing the same value twice gives different text', () => {
  const secrets = createSecrets([newer], systemRandom)
  expect(secrets.seal('x', 'c')).not.toBe(secrets.seal('x', 'c'))
})

test('signatures are made with the newest master secret and accepted from any, for one purpose only', () => {
  const before = createSecrets([older], systemRandom).sign('cookies', 'token')
  const rotated = createSecrets([newer, older], systemRandom)
  expect(before).toHaveLength(44)
  expect(rotated.isSigned('cookies', 'token', before, 60)).toBe(true)
  expect(rotated.isSigned('provider-cookies', 'token', before, 60)).toBe(false)
  expect(createSecrets([newer], systemRandom).isSigned('cookies', 'token', before, 60)).toBe(false)
})

test('equal texts compare as equal, and a digest is SHA-256 in hex', () => {
  expect(safeEqual('a', 'a')).toBe(true)
  expect(safeEqual('a', 'b')).toBe(false)
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('random tokens have the requested length and alphabet, and do not repeat', () => {
  const tokens = Array.from({ length: 500 }, () => systemRandom.token(32))
  expect(new Set(tokens).size).toBe(500)
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9]{32}$/)
})
