import { expect, test } from 'vitest'
import { acrValues, authenticatedAt } from '../../src/authentication/attempts/rules.ts'
import type { StoredProof } from '../../src/authentication/sessions/index.ts'
import { type AskedClasses, answeredClass, askedClasses, wantedClass } from '../../src/oidc/step-up/rules.ts'

const [one, two, three] = acrValues
const all = () => true
const start = new Date(1_700_000_000_000)
const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
const stored = (method: string, minutes: number, factors: readonly string[], isPhishingResistant = false): StoredProof => ({
  ...{ method, at: later(minutes).toISOString(), factors, isPhishingResistant },
})
const session = { userId: 'ann', createdAt: later(90) }
const timeOf = (acr: string, ...proofs: StoredProof[]) => authenticatedAt({ acr, proofs }, session)

const password = (minutes: number) => stored('password', minutes, ['knowledge'])
const code = (minutes: number) => stored('totp', minutes, ['possession'])
const passkey = (minutes: number) => stored('passkey', minutes, ['possession', 'inherence'], true)
const securityKey = (minutes: number) => stored('security-key', minutes, ['possession'], true)

test('the time of an authentication is the latest time from which the proofs alone reach its class', () => {
  expect(timeOf(one, password(0))).toEqual(start)
  expect(timeOf(two, password(0), code(60))).toEqual(start)
  expect(timeOf(two, password(70), code(60))).toEqual(later(60))
  expect(timeOf(three, password(0), securityKey(60))).toEqual(start)
  expect(timeOf(three, password(0), passkey(60))).toEqual(later(60))
  expect(timeOf(three, password(0), passkey(30), code(60))).toEqual(later(30))
})

test('insufficient or unknown proofs do not make a session newer than its start', () => {
  expect(timeOf(two, password(0))).toEqual(start)
  expect(timeOf(one, password(0), { ...code(60), raisesNoAcr: true })).toEqual(start)
  expect(timeOf('urn:gatehouse:acr:impersonated')).toEqual(session.createdAt)
})

const asked = (...values: readonly string[]): AskedClasses => ({ values, isEssential: false })
const essential = (...values: readonly string[]): AskedClasses => ({ values, isEssential: true })

test('of several requested classes the lowest reachable one is required, and of several requirements the highest one', () => {
  expect(wantedClass([], [], all)).toBeUndefined()
  for (const kind of [asked, essential]) {
    expect(wantedClass([kind(three, 'other', two)], [], all)).toBe(two)
    expect(wantedClass([kind(two), asked(three)], [], all)).toBe(three)
    expect(wantedClass([kind(one)], [two], all)).toBe(two)
  }
})

test('a requested class that the user cannot reach fails the request if it is essential, and is ignored if it is voluntary', () => {
  const notThree = (acr: string) => acr !== three
  expect(wantedClass([essential('other')], [two], all)).toBeNull()
  expect(wantedClass([essential(three)], [], notThree)).toBeNull()
  expect(wantedClass([asked('other')], [two], all)).toBe(two)
  expect(wantedClass([asked(three), essential(one)], [], notThree)).toBe(one)
  expect(wantedClass([asked('other')], [], all)).toBeUndefined()
})

test('the reported class is one of the requested classes if one of them is met', () => {
  expect(answeredClass(three, [])).toBe(three)
  expect(answeredClass(three, [asked(one, two)])).toBe(two)
  expect(answeredClass(two, [essential(two, three)])).toBe(two)
  expect(answeredClass('urn:gatehouse:acr:impersonated', [asked(one)])).toBe('urn:gatehouse:acr:impersonated')
})

test('a class is requested by acr_values or the claims parameter in either form, and only the claims parameter can make it essential', () => {
  expect(askedClasses({ acr_values: ` ${two}  x` })).toEqual([asked(two, 'x')])
  for (const [acr, list] of [
    [{ value: two }, asked(two)],
    [{ values: [two], essential: false }, asked(two)],
    [{ values: [two], essential: true }, essential(two)],
  ] as const)
    expect(askedClasses({ claims: JSON.stringify({ id_token: { acr } }) })).toEqual([list])
  for (const claims of [
    undefined,
    '{',
    'null',
    '{"id_token":null}',
    '{"id_token":{"acr":null}}',
    '{"userinfo":{"acr":{"value":"x"}}}',
  ])
    expect(askedClasses({ claims })).toEqual([])
})
