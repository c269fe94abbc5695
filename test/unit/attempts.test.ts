import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Attempt,
  type AttemptPolicy,
  type AuthenticationMethod,
  acrValues,
  addProof,
  decide,
  type Factor,
  type Facts,
  meetsAcr,
  type Proof,
  startAttempt,
} from '../../src/authentication/attempts/rules.ts'

const methods: readonly AuthenticationMethod[] = [
  { name: 'password', amr: ['pwd'], factors: ['knowledge'] },
  { name: 'federated', amr: [], factors: ['knowledge'] },
  { name: 'mail-link', amr: [], factors: ['knowledge'] },
  { name: 'totp', amr: ['otp'], factors: ['possession'] },
  { name: 'passkey', amr: ['hwk', 'user'], factors: ['possession', 'inherence'], isPhishingResistant: true },
]
const [password, , , oneTimeCode] = methods as [AuthenticationMethod, unknown, unknown, AuthenticationMethod]
const at = new Date(1_700_000_000_000)

const policyFor = (...needVerifiedAddress: AttemptPolicy['needVerifiedAddress']): AttemptPolicy => ({ needVerifiedAddress })
const oneIsEnough = {
  isBanned: false,
  emailVerified: true,
  enrolled: [],
  needsSecondFactor: false,
  mustEnrol: false,
  isRemembered: false,
}

const method = fc.constantFrom(...methods)
const proof = (users: readonly string[]): fc.Arbitrary<Proof> =>
  fc.record({ method, userId: fc.constantFrom(...users), at: fc.constant(at) })
const attemptOf = (proofs: readonly Proof[], userId: string | undefined, kind: Attempt['kind'] = 'sign-in') =>
  proofs.reduce(addProof, startAttempt(kind, userId))
const facts: fc.Arbitrary<Facts> = fc.record({
  isBanned: fc.constant(false),
  emailVerified: fc.boolean(),
  enrolled: fc.uniqueArray(method),
  needsSecondFactor: fc.boolean(),
  mustEnrol: fc.boolean(),
  isRemembered: fc.boolean(),
})
const policy = fc.constantFrom(policyFor(), policyFor('password'))
const kind = fc.constantFrom<Attempt['kind']>('sign-in', 'renewal')
const factorsOf = (proofs: readonly Proof[]): ReadonlySet<Factor> => new Set(proofs.flatMap(({ method: { factors } }) => factors))

test('a sign-in attempt without a proof never leads to a session', () => {
  fc.assert(
    fc.property(
      kind,
      facts,
      policy,
      (kind, facts, policy) => decide(startAttempt(kind, 'ann'), facts, policy).kind !== 'session',
    ),
  )
})

test('proofs of different users never lead to a session together', () => {
  const property = fc.property(
    fc.array(proof(['ann', 'bob'])),
    fc.option(fc.constant('ann')),
    facts,
    policy,
    (proofs, id, facts, policy) => {
      const attempt = attemptOf(proofs, id ?? undefined)
      const users = new Set([...proofs.map(({ userId }) => userId), ...(id === null ? [] : [id])])
      if (users.size > 1) expect(decide(attempt, facts, policy)).toEqual({ kind: 'refusal', reason: 'proofs-of-different-users' })
      else if (proofs.length > 0) expect(attempt.userId).toBe([...users][0])
    },
  )
  fc.assert(property)
})

test('a sign-in with one factor starts no session if two are required, and a session has the methods and class of its proofs', () => {
  const property = fc.property(kind, fc.array(proof(['ann']), { minLength: 1 }), facts, policy, (kind, proofs, facts, policy) => {
    const factors = factorsOf(proofs)
    const decision = decide(attemptOf(proofs, 'ann', kind), facts, policy)
    const isShort = factors.size < 2 && !facts.isRemembered && (facts.needsSecondFactor || facts.mustEnrol)
    if (kind === 'sign-in' && isShort) expect(decision.kind).not.toBe('session')
    if (decision.kind !== 'session') return
    const isResistant = proofs.some(({ method }) => method.isPhishingResistant)
    expect(decision.acr).toBe(acrValues[factors.size < 2 ? 0 : isResistant ? 2 : 1])
    const proven: ReadonlySet<string> = new Set(proofs.flatMap(({ method: { amr } }) => amr))
    expect(new Set(decision.amr)).toEqual(factors.size > 1 ? new Set([...proven, 'mfa']) : proven)
    if (facts.needsSecondFactor && !factors.has('possession')) expect(decision.provenAt).toBeNull()
  })
  fc.assert(property)
})

test('a remembered browser replaces a required second factor, does not raise the authentication class, and is no recent proof', () => {
  const proofs = [{ method: password, userId: 'ann', at }]
  const remembered = { ...oneIsEnough, needsSecondFactor: true, isRemembered: true }
  const decision = { kind: 'session', amr: ['pwd'], acr: acrValues[0], factors: 2, provenAt: null }
  expect(decide(attemptOf(proofs, 'ann'), remembered, policyFor())).toEqual(decision)
})

test('an authentication class meets itself and every lower class, and an unknown class meets no class', () => {
  for (const [has, wanted] of acrValues.flatMap((has) => acrValues.map((wanted) => [has, wanted] as const)))
    expect(meetsAcr(has, wanted)).toBe(acrValues.indexOf(has) >= acrValues.indexOf(wanted))
  expect(meetsAcr('urn:gatehouse:acr:impersonated', acrValues[0])).toBe(false)
  expect(meetsAcr(acrValues[2], 'urn:other')).toBe(false)
})

test('a further proof of the same user never takes a session away, unless its method needs a verified email address', () => {
  const property = fc.property(fc.array(proof(['ann'])), proof(['ann']), facts, policy, (proofs, further, facts, policy) => {
    const before = attemptOf(proofs, 'ann')
    if (decide(before, facts, policy).kind !== 'session' || policy.needVerifiedAddress.includes(further.method.name)) return
    expect(decide(addProof(before, further), facts, policy).kind).toBe('session')
  })
  fc.assert(property)
})

test('a sign-in attempt with too few factors needs a proof of another enrolled factor, or an enrolment', () => {
  const property = fc.property(fc.array(proof(['ann']), { minLength: 1 }), facts, (proofs, facts) => {
    const factors = factorsOf(proofs)
    if (factors.size >= 2 || facts.isRemembered || !(facts.needsSecondFactor || facts.mustEnrol)) return
    const further = facts.enrolled
      .filter(({ factors: own }) => own.some((factor) => !factors.has(factor)))
      .map(({ name }) => name)
    expect(decide(attemptOf(proofs, 'ann'), facts, policyFor())).toEqual(
      facts.needsSecondFactor
        ? { kind: 'another-proof-needed', reason: 'too-few-factors', methods: further }
        : { kind: 'enrolment-needed', reason: 'too-few-factors' },
    )
  })
  fc.assert(property)
})

test('a password needs a verified email address if the policy requires verification, except to renew a session', () => {
  const proofs = [{ method: password, userId: 'ann', at }]
  const unverified = { ...oneIsEnough, emailVerified: false }
  const refusal = { kind: 'refusal', reason: 'email-not-verified' }
  expect(decide(attemptOf(proofs, 'ann'), unverified, policyFor('password'))).toEqual(refusal)
  expect(decide(attemptOf(proofs, 'ann'), { ...unverified, emailVerified: true }, policyFor('password')).kind).toBe('session')
  expect(decide(attemptOf(proofs, 'ann', 'renewal'), unverified, policyFor('password')).kind).toBe('session')
})

test('a banned user is refused, and learns of the ban only after a proof', () => {
  const property = fc.property(fc.array(proof(['ann']), { minLength: 1 }), kind, facts, policy, (proofs, kind, facts, policy) => {
    const banned = { ...facts, isBanned: true }
    expect(decide(attemptOf(proofs, 'ann', kind), banned, policy)).toEqual({ kind: 'refusal', reason: 'banned' })
    expect(decide(startAttempt(kind, 'ann'), banned, policy).kind).toBe('another-proof-needed')
  })
  fc.assert(property)
})

test('a mailed link or a provider sign-in does not count as second factor beside a password', () => {
  for (const method of methods.slice(1, 3)) {
    const proofs = [password, method].map((method) => ({ method, userId: 'ann', at }))
    expect(decide(attemptOf(proofs, 'ann'), oneIsEnough, policyFor())).toEqual({
      kind: 'session',
      amr: ['pwd'],
      acr: acrValues[0],
      factors: 1,
      provenAt: at,
    })
  }
})

test('a password and a one-time code are two factors', () => {
  const proofs = [password, oneTimeCode].map((method) => ({ method, userId: 'ann', at }))
  const decision = decide(attemptOf(proofs, undefined), oneIsEnough, policyFor())
  expect(decision).toEqual({ kind: 'session', amr: ['pwd', 'otp', 'mfa'], acr: acrValues[1], factors: 2, provenAt: at })
})

test('a mailed code is a second factor beside a password without raising the authentication class, and no second factor beside a mailed link', () => {
  const mailCode: AuthenticationMethod = { name: 'mail-code', amr: ['otp'], factors: ['possession'], raisesNoAcr: true }
  const [, , mailLink] = methods as [unknown, unknown, AuthenticationMethod]
  const given = (...list: readonly AuthenticationMethod[]) =>
    attemptOf(
      list.map((one) => ({ method: one, userId: 'ann', at })),
      'ann',
    )
  const needed = { ...oneIsEnough, needsSecondFactor: true, enrolled: [mailCode, oneTimeCode] }
  expect(decide(given(password, mailCode), needed, policyFor())).toMatchObject({ kind: 'session', acr: acrValues[0], factors: 2 })
  expect(decide(given(password, mailCode, oneTimeCode), needed, policyFor())).toMatchObject({ acr: acrValues[1] })
  for (const attempt of [given(mailLink), given(mailLink, mailCode)])
    expect(decide(attempt, needed, policyFor())).toMatchObject({ kind: 'another-proof-needed', methods: ['totp'] })
  expect(decide(given(password), needed, policyFor())).toMatchObject({ methods: ['mail-code', 'totp'] })
})
