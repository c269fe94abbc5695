import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type KeySchedule, nextChange, publishedKeys, stateOf } from '../../../src/oidc/keys/rules.ts'
import { missingScopes, needsPkce, redirectUriProblem, scopesFor, splitScope } from '../../../src/oidc/rules.ts'

const minute = 60_000
const [overlap, hold] = [60 * minute, 65 * minute]

/** The keys after rotations this many minutes apart, each not before the last key signs, as `rotate-jwks` makes them. */
const keysAfter = (gaps: readonly number[]): KeySchedule[] => {
  const keys: KeySchedule[] = [{ alg: 'RS256', generation: 1, signsFrom: new Date(0), retiresAt: null }]
  let now = 0
  for (const gap of gaps) {
    const last = keys.at(-1)
    if (last === undefined) break
    now = Math.max(now, last.signsFrom.getTime()) + gap * minute
    const signsFrom = now + overlap
    keys[keys.length - 1] = { ...last, retiresAt: new Date(signsFrom + hold) }
    keys.push({ alg: 'RS256', generation: last.generation + 1, signsFrom: new Date(signsFrom), retiresAt: null })
  }
  return keys
}
const rotations = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 8 })
const instant = fc.integer({ min: 0, max: 60_000 }).map((minutes) => new Date(minutes * minute))

describe('the key schedule', () => {
  test('exactly one signing key is in use at any time, and each is published a whole overlap before its use', () => {
    fc.assert(
      fc.property(rotations, instant, (gaps, now) => {
        const keys = keysAfter(gaps)
        const states = keys.map((key) => stateOf(key, keys, now))
        expect(states.filter((state) => state === 'signing')).toHaveLength(1)
        const [signing] = publishedKeys(keys, now)
        expect(signing).toBe(keys[states.indexOf('signing')])
        const earlier = new Date(now.getTime() - overlap)
        // The first key existed before anybody could have cached a set without it.
        if (signing !== undefined && signing.generation > 1 && signing.signsFrom > earlier)
          expect(publishedKeys(keys, new Date(signing.signsFrom.getTime() - 1))).toContain(signing)
      }),
    )
  })

  test('a signing key stays published until the tokens it signed have expired', () => {
    fc.assert(
      fc.property(rotations, instant, fc.integer({ min: 0, max: 60 }), (gaps, now, age) => {
        const keys = keysAfter(gaps)
        const [signer] = publishedKeys(keys, now)
        expect(publishedKeys(keys, new Date(now.getTime() + age * minute))).toContain(signer)
      }),
    )
  })

  test('the published signing keys change only at the next planned time', () => {
    fc.assert(
      fc.property(rotations, instant, (gaps, now) => {
        const keys = keysAfter(gaps)
        const until = nextChange(keys, now)
        const before = publishedKeys(keys, now)
        if (until === undefined) expect(publishedKeys(keys, new Date(now.getTime() + 1e9))).toEqual(before)
        else {
          expect(publishedKeys(keys, new Date(until.getTime() - 1))).toEqual(before)
          expect(publishedKeys(keys, until)).not.toEqual(before)
        }
      }),
    )
  })
})

describe('redirect URIs', () => {
  test('an accepted redirect URI uses TLS or a loopback address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string()), (value) => {
        if (redirectUriProblem(value, 'web') !== undefined) return
        const url = new URL(value)
        expect(url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)).toBe(true)
        expect([url.hash, url.username, url.password].join('')).toBe('')
        expect(value).not.toMatch(/[,\s\\*]/)
      }),
    )
  })

  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'myapp:/x',
    'com.example.app:/x',
  ])('a web application cannot have the redirect URI %s', (value) => {
    expect(redirectUriProblem(value, 'web')).toBeDefined()
  })

  test('a native application may use a private scheme with a dot, but no scheme that runs code', () => {
    expect(redirectUriProblem('com.example.app:/callback', 'native')).toBeUndefined()
    for (const value of ['myapp:/x', 'javascript:alert(1)', 'http://rp.example/x'])
      expect(redirectUriProblem(value, 'native')).toBeDefined()
  })
})

test.each([
  // Client type, its registered choice, oidc.requirePkce, and whether PKCE is required.
  ['spa', null, false, true],
  ['native', 'optional', false, true],
  ['web', null, true, true],
  ['web', null, false, false],
  ['web', 'optional', true, false],
  ['web', 'required', false, true],
] as const)(
  'PKCE of a %s client registered with %s, where oidc.requirePkce is %s, is required: %s',
  (type, pkce, byDefault, needed) => {
    expect(needsPkce({ type, pkce }, byDefault)).toBe(needed)
  },
)

test('missingScopes lists the requested scopes that lack consent', () => {
  expect(missingScopes(['openid', 'a', 'b'], scopesFor('web', ['a']))).toEqual(['b'])
  expect(missingScopes(['openid', 'a'], scopesFor('machine', ['a']))).toEqual(['a'])
  expect(splitScope('  openid  email ')).toEqual(['openid', 'email'])
  expect(missingScopes(['openid', 'email'], ['openid'])).toEqual(['email'])
})
