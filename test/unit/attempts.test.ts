import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Attempt,
  type AttemptPolicy,
  type AuthenticationMethod,
  addProof,
  decide,
  type Factor,
  type Proof,
  startAttempt,
} from '../../src/authentication/attempts/rules.ts'

const methods: readonly AuthenticationMethod[] = [
  { name: 'password', amr: ['pwd'], factors: ['knowledge'] },
  { name: 'federated', amr: [], factors: ['knowledge'] },
  { name: 'mail-link', amr: [], factors: ['knowledge'] },
  { name: 'one-time-code', amr: ['otp'], factors: ['possession'] },
  { name: 'passkey', amr: ['hwk', 'user'], factors: ['possession', 'inherence'] },
]
const [password, , , oneTimeCode] = methods as [AuthenticationMethod, unknown, unknown, AuthenticationMethod]
const at = new Date(1_700_000_000_000)

const policyFor = (requiredFactors: number, needVerifiedAddress: AttemptPolicy['needVerifiedAddress'] = []): AttemptPolicy => ({
  levels: [
    { acr: 'one', factors: 1 },
    { acr: 'two', factors: 2 },
  ],
  requiredFactors,
  needVerifiedAddress,
})

const method = fc.constantFrom(...methods)
const proof = (users: readonly string[]): fc.Arbitrary<Proof> =>
  fc.record({ method, userId: fc.constantFrom(...users), at: fc.constant(at) })
const attemptOf = (proofs: readonly Proof[], userId: string | undefined, kind: Attempt['kind'] = 'sign-in') =>
  proofs.reduce(addProof, startAttempt(kind, userId))
const facts = fc.record({ isBanned: fc.constant(false), emailVerified: fc.boolean(), enrolled: fc.uniqueArray(method) })
const policy = fc.constantFrom(policyFor(1), policyFor(2), policyFor(1, ['password']), policyFor(2, ['password']))
const kind = fc.constantFrom<Attempt['kind']>('sign-in', 'renewal')
const factorsOf = (proofs: readonly Proof[]): ReadonlySet<Factor> => new Set(proofs.flatMap(({ method: { factors } }) => factors))

test('an attempt without a proof never leads to a session', () => {
  fc.assert(
    fc.property(
      kind,
      facts,
      policy,
      (kind, facts, policy) => decide(startAttempt(kind, 'ann'), facts, policy).kind !== 'session',
    ),
  )
})

test('proofs of different users never add up to a session', () => {
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

test('a session needs as many factors as the policy requires, and names the methods and the class that they reach', () => {
  const property = fc.property(kind, fc.array(proof(['ann']), { minLength: 1 }), facts, policy, (kind, proofs, facts, policy) => {
    const factors = factorsOf(proofs)
    const decision = decide(attemptOf(proofs, 'ann', kind), facts, policy)
    if (decision.kind !== 'session') return
    expect(factors.size).toBeGreaterThanOrEqual(policy.requiredFactors)
    expect(decision.acr).toBe(factors.size > 1 ? 'two' : 'one')
    const proven: ReadonlySet<string> = new Set(proofs.flatMap(({ method: { amr } }) => amr))
    expect(new Set(decision.amr)).toEqual(factors.size > 1 ? new Set([...proven, 'mfa']) : proven)
  })
  fc.assert(property)
})

test('a further proof of the same user never takes a session away, unless its method needs a verified address', () => {
  const property = fc.property(fc.array(proof(['ann'])), proof(['ann']), facts, policy, (proofs, further, facts, policy) => {
    const before = attemptOf(proofs, 'ann')
    if (decide(before, facts, policy).kind !== 'session' || policy.needVerifiedAddress.includes(further.method.name)) return
    expect(decide(addProof(before, further), facts, policy).kind).toBe('session')
  })
  fc.assert(property)
})

test('an attempt with too few factors needs a proof of another enrolled factor, or an enrolment', () => {
  const property = fc.property(fc.array(proof(['ann']), { minLength: 1 }), facts, (proofs, facts) => {
    const decision = decide(attemptOf(proofs, 'ann'), facts, policyFor(2))
    const factors = factorsOf(proofs)
    if (factors.size >= 2) return
    const further = facts.enrolled
      .filter(({ factors: own }) => own.some((factor) => !factors.has(factor)))
      .map(({ name }) => name)
    expect(decision).toEqual(
      further.length > 0
        ? { kind: 'another-proof-needed', reason: 'too-few-factors', methods: further }
        : { kind: 'enrolment-needed', reason: 'too-few-factors' },
    )
  })
  fc.assert(property)
})

test('a password needs a verified address where the policy requires one, but not to renew a session', () => {
  const proofs = [{ method: password, userId: 'ann', at }]
  const unverified = { isBanned: false, emailVerified: false, enrolled: [] }
  const refusal = { kind: 'refusal', reason: 'email-not-verified' }
  expect(decide(attemptOf(proofs, 'ann'), unverified, policyFor(1, ['password']))).toEqual(refusal)
  expect(decide(attemptOf(proofs, 'ann'), { ...unverified, emailVerified: true }, policyFor(1, ['password'])).kind).toBe(
    'session',
  )
  expect(decide(attemptOf(proofs, 'ann', 'renewal'), unverified, policyFor(1, ['password'])).kind).toBe('session')
})

test('a banned user is refused, but learns so only with a proof', () => {
  const property = fc.property(fc.array(proof(['ann']), { minLength: 1 }), kind, facts, policy, (proofs, kind, facts, policy) => {
    const banned = { ...facts, isBanned: true }
    expect(decide(attemptOf(proofs, 'ann', kind), banned, policy)).toEqual({ kind: 'refusal', reason: 'banned' })
    expect(decide(startAttempt(kind, 'ann'), banned, policy).kind).toBe('another-proof-needed')
  })
  fc.assert(property)
})

test('a mailed link or a federated sign-in beside a password is no second factor', () => {
  for (const method of methods.slice(1, 3)) {
    const proofs = [password, method].map((method) => ({ method, userId: 'ann', at }))
    expect(decide(attemptOf(proofs, 'ann'), { isBanned: false, emailVerified: true, enrolled: [] }, policyFor(1))).toEqual({
      kind: 'session',
      amr: ['pwd'],
      acr: 'one',
    })
  }
})

test('a password and a one-time code are two factors', () => {
  const proofs = [password, oneTimeCode].map((method) => ({ method, userId: 'ann', at }))
  const decision = decide(attemptOf(proofs, undefined), { isBanned: false, emailVerified: true, enrolled: [] }, policyFor(2))
  expect(decision).toEqual({ kind: 'session', amr: ['pwd', 'otp', 'mfa'], acr: 'two' })
})
