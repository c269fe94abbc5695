import { type Acr, acrValues, meetsAcr, restsOnMailbox } from '../../core/authentication-classes.ts'
import type { Amr, AuthenticationMethod, Factor, MethodName } from '../../core/second-factors.ts'
import type { SecondFactorFacts } from '../second-factors/index.ts'
import type { StoredProof } from '../sessions/index.ts'

export { type Acr, acrValues, meetsAcr } from '../../core/authentication-classes.ts'
export type { Amr, AuthenticationMethod, Factor, MethodName } from '../../core/second-factors.ts'

/** A sign-in method that has succeeded for a user. */
export interface Proof {
  readonly method: AuthenticationMethod
  readonly userId: string
  readonly at: Date
}

/**
 * A person's attempt to sign in. `userId` is undefined until an address or a proof identifies an account. A `renewal` replaces a session
 * of the user or adds a proof to it. It does not repeat the checks of a new sign-in.
 */
export interface Attempt {
  readonly kind: 'sign-in' | 'renewal'
  readonly userId: string | undefined
  readonly proofs: readonly Proof[]
  /** The number of kinds of factors in the session that is renewed. They still count. */
  readonly counted?: number
}

/** The facts about the user that the decision needs. */
export interface Facts extends SecondFactorFacts {
  readonly isBanned: boolean
  readonly emailVerified: boolean
}

/** The settings that decide whether the proofs are enough for a session. */
export interface AttemptPolicy {
  /** Methods that sign in only users with a verified address. */
  readonly needVerifiedAddress: readonly MethodName[]
}

export type Decision =
  | {
      readonly kind: 'session'
      readonly amr: readonly Amr[]
      readonly acr: Acr
      /** The number of kinds of factors. A remembered browser counts as one. */
      readonly factors: number
      /** The time of the last proof that is strong enough for sensitive changes; null if there was none. */
      readonly provenAt: Date | null
    }
  | {
      readonly kind: 'another-proof-needed'
      readonly reason: 'no-proof' | 'too-few-factors'
      readonly methods: readonly MethodName[]
    }
  | { readonly kind: 'enrolment-needed'; readonly reason: 'too-few-factors' }
  | { readonly kind: 'refusal'; readonly reason: 'banned' | 'email-not-verified' | 'proofs-of-different-users' }

/** The authentication class (`acr`) of an impersonated session, in which the user has given no proof. */
export const impersonatedAcr = 'urn:gatehouse:acr:impersonated'

export const startAttempt = (kind: Attempt['kind'], userId: string | undefined): Attempt => ({ kind, userId, proofs: [] })

const isSame = (one: Proof, other: Proof) =>
  one.method.name === other.method.name && one.userId === other.userId && one.method.isNew === other.method.isNew

/**
 * Adds a proof to the attempt. It replaces an earlier proof by the same method. The first proof identifies the user if the user is still
 * unknown.
 */
export const addProof = (attempt: Attempt, proof: Proof): Attempt => ({
  ...attempt,
  userId: attempt.userId ?? proof.userId,
  proofs: [...attempt.proofs.filter((one) => !isSame(one, proof)), proof],
})

/** The form in which a session or a pending sign-in stores a proof. */
export const storeProof = ({ method: { name, ...method }, at }: Proof): StoredProof => ({
  method: name,
  at: at.toISOString(),
  ...method,
})

/** Reads stored proofs of a user. Earlier versions stored only the name of a proof, and each such proof was one factor. */
export const restoreProofs = (stored: readonly StoredProof[], userId: string): readonly Proof[] =>
  stored.map(({ method: name, at, amr = [], factors = ['knowledge'], ...more }) => ({
    method: { name, amr, factors, ...more } as AuthenticationMethod,
    userId,
    at: new Date(at),
  }))

const isStrong = ({ method }: Proof) => method.factors.some((factor) => factor !== 'knowledge')

/** The kinds of factors that the proofs show. If every proof rests on a mailbox, they count as one kind together. */
const kindsOf = (proofs: readonly Proof[]): ReadonlySet<Factor> =>
  proofs.every(({ method }) => restsOnMailbox(method))
    ? new Set<Factor>(proofs.length === 0 ? [] : ['knowledge'])
    : new Set(proofs.flatMap(({ method }) => method.factors))

/** The authentication class (`acr`) that the proofs reach together. */
const acrOf = (all: readonly Proof[]): Acr => {
  const proofs = all.filter(({ method }) => method.raisesNoAcr !== true)
  if (kindsOf(proofs).size < 2) return acrValues[0]
  return proofs.some(({ method }) => method.isPhishingResistant === true) ? acrValues[2] : acrValues[1]
}

/**
 * The time of the authentication (`auth_time`): the latest point in time from which the later proofs alone reach the class of the
 * session. A second factor that is given later therefore does not renew the password. If the proofs do not reach the class, it is the
 * time of the first proof. An impersonated session has no proofs, so it is the start of the session.
 */
export const authenticatedAt = (
  { acr, proofs: stored }: { readonly acr: string; readonly proofs: readonly StoredProof[] },
  { userId, createdAt }: { readonly userId: string; readonly createdAt: Date },
): Date => {
  const proofs = restoreProofs(stored, userId).filter(({ method }) => method.raisesNoAcr !== true)
  const times = proofs.map(({ at }) => at).sort((a, b) => b.getTime() - a.getTime())
  const since = times.find((time) => meetsAcr(acrOf(proofs.filter(({ at }) => at >= time)), acr))
  return since ?? times.at(-1) ?? createdAt
}

const latest = (times: readonly (Date | null)[]): Date | null =>
  times.reduce((last, at) => (last === null || (at !== null && at > last) ? at : last), null)

/**
 * The time of the last proof that is strong enough for sensitive changes. For users who need a second factor only strong proofs count. A
 * factor that was added in this session counts only up to the time of the last proof by another method (`access/proof.ts`). Otherwise a
 * thief of the session could add a factor and keep the session fresh with it.
 */
const provenAtOf = (proofs: readonly Proof[], needsSecondFactor: boolean): Date | null => {
  const timesOf = (some: readonly Proof[]) => some.map(({ at }) => at)
  const known = proofs.filter(({ method }) => method.isNew !== true)
  const any = latest(timesOf(known))
  if (!needsSecondFactor) return any
  const added = latest(timesOf(proofs.filter((proof) => proof.method.isNew === true && isStrong(proof))))
  const beside = any === null || added === null || added > any ? any : added
  return latest([...timesOf(known.filter(isStrong)), added === null ? null : beside])
}

/** Decides the outcome of an attempt. Proofs of different users never lead to a session. */
export const decide = (attempt: Attempt, facts: Facts, policy: AttemptPolicy): Decision => {
  const { kind, userId, proofs, counted = 0 } = attempt
  const names = (methods: readonly AuthenticationMethod[]) => methods.map(({ name }) => name)
  if (proofs.some((proof) => proof.userId !== userId)) return { kind: 'refusal', reason: 'proofs-of-different-users' }
  if (proofs.length === 0) return { kind: 'another-proof-needed', reason: 'no-proof', methods: names(facts.enrolled) }
  // Only a person with a correct proof learns of a ban. Otherwise anybody could find out about it by typing an address.
  if (facts.isBanned) return { kind: 'refusal', reason: 'banned' }
  const needsVerified = proofs.some(({ method }) => policy.needVerifiedAddress.includes(method.name))
  if (kind === 'sign-in' && needsVerified && !facts.emailVerified) return { kind: 'refusal', reason: 'email-not-verified' }

  const given = kindsOf(proofs)
  const factors = Math.max(given.size, facts.isRemembered ? 2 : 0, kind === 'renewal' ? counted : 0)
  if (kind === 'sign-in' && factors < 2) {
    const further = facts.enrolled.filter(
      (method) =>
        method.factors.some((factor) => !given.has(factor)) &&
        !(restsOnMailbox(method) && proofs.every((proof) => restsOnMailbox(proof.method))),
    )
    if (facts.needsSecondFactor) return { kind: 'another-proof-needed', reason: 'too-few-factors', methods: names(further) }
    if (facts.mustEnrol) return { kind: 'enrolment-needed', reason: 'too-few-factors' }
  }
  const amr = new Set<Amr>(proofs.flatMap(({ method }) => method.amr))
  if (given.size > 1) amr.add('mfa')
  const provenAt = provenAtOf(proofs, facts.needsSecondFactor)
  return { kind: 'session', amr: [...amr], acr: acrOf(proofs), factors, provenAt }
}

/** A masked address for a user who has given only one proof. It shows enough for the owner to recognize it. */
export const maskedAddress = (email: string): string => {
  const at = email.lastIndexOf('@')
  return `${[...email][0] ?? ''}…${email.slice(at)}`
}
