import { expect, test } from 'vitest'
import { acrValues, authenticatedAt } from '../../src/authentication/attempts/rules.ts'
import type { StoredProof } from '../../src/authentication/sessions/index.ts'
import { answeredClass, askedClasses, wantedClass } from '../../src/oidc/step-up/rules.ts'

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

test('the time of an authentication is that from which on the proofs reach its class by themselves', () => {
  expect(timeOf(one, password(0))).toEqual(start)
  expect(timeOf(two, password(0), code(60))).toEqual(start)
  expect(timeOf(two, password(70), code(60))).toEqual(later(60))
  expect(timeOf(three, password(0), securityKey(60))).toEqual(start)
  expect(timeOf(three, password(0), passkey(60))).toEqual(later(60))
  expect(timeOf(three, password(0), passkey(30), code(60))).toEqual(later(30))
})

test('proofs that do not reach the class, or are not known, make no session newer than it is', () => {
  expect(timeOf(two, password(0))).toEqual(start)
  expect(timeOf(one, password(0), { ...code(60), raisesNoAcr: true })).toEqual(start)
  expect(timeOf('urn:gatehouse:acr:impersonated')).toEqual(session.createdAt)
})

test('of several values the lowest that can be reached is wanted, and of several demands the highest', () => {
  expect(wantedClass([], [], all)).toBeUndefined()
  expect(wantedClass([[three, 'other', two]], [], all)).toBe(two)
  expect(wantedClass([[two], [three]], [], all)).toBe(three)
  expect(wantedClass([[one]], [two], all)).toBe(two)
  expect(wantedClass([['other']], [two], all)).toBeNull()
  expect(wantedClass([[three]], [], (acr) => acr !== three)).toBeNull()
})

test('the class that is told is one that was asked for, where one of them is met', () => {
  expect(answeredClass(three, [])).toBe(three)
  expect(answeredClass(three, [[one, two]])).toBe(two)
  expect(answeredClass(two, [[two, three]])).toBe(two)
  expect(answeredClass('urn:gatehouse:acr:impersonated', [[one]])).toBe('urn:gatehouse:acr:impersonated')
})

test('a class is asked for by acr_values and by the claims parameter, in either form', () => {
  expect(askedClasses({ acr_values: ` ${two}  x` })).toEqual([[two, 'x']])
  for (const acr of [{ value: two }, { values: [two], essential: true }])
    expect(askedClasses({ claims: JSON.stringify({ id_token: { acr } }) })).toEqual([[two]])
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
