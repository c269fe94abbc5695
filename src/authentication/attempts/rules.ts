import { type Acr, acrValues, meetsAcr, restsOnMailbox } from '../../core/authentication-classes.ts'
import type { Amr, AuthenticationMethod, Factor, MethodName } from '../../core/second-factors.ts'
import type { SecondFactorFacts } from '../second-factors/index.ts'
import type { StoredProof } from '../sessions/index.ts'

export { type Acr, acrValues, meetsAcr } from '../../core/authentication-classes.ts'
export type { Amr, AuthenticationMethod, Factor, MethodName } from '../../core/second-factors.ts'

/** A proof of identity: a user has passed a sign-in method. */
export interface Proof {
  readonly method: AuthenticationMethod
  readonly userId: string
  readonly at: Date
}

/**
 * A person's attempt to sign in. `userId` is undefined until a typed address or a proof identifies an account. An attempt of the kind
 * `renewal` replaces a session of the user or adds a proof to it, and skips the checks of a new sign-in.
 */
export interface Attempt {
  readonly kind: 'sign-in' | 'renewal'
  readonly userId: string | undefined
  readonly proofs: readonly Proof[]
  /** The number of kinds of factors that the session had before its renewal. They still count. */
  readonly counted?: number
}

/** The facts about the user on which the decision depends. */
export interface Facts extends SecondFactorFacts {
  readonly isBanned: boolean
  readonly emailVerified: boolean
}

/** The settings that decide whether the proofs are enough for a session. */
export interface AttemptPolicy {
  /** The methods that can sign in only users with a verified mail address. */
  readonly needVerifiedAddress: readonly MethodName[]
}

export type Decision =
  | {
      readonly kind: 'session'
      readonly amr: readonly Amr[]
      readonly acr: Acr
      /** The number of different kinds of factors. A remembered browser counts as a kind. */
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

/** The authentication class (`acr`) of an impersonated session. In such a session the user has given no proof. */
export const impersonatedAcr = 'urn:gatehouse:acr:impersonated'

export const startAttempt = (kind: Attempt['kind'], userId: string | undefined): Attempt => ({ kind, userId, proofs: [] })

const isSame = (one: Proof, other: Proof) =>
  one.method.name === other.method.name && one.userId === other.userId && one.method.isNew === other.method.isNew

/** Adds a proof to the attempt, in place of an earlier proof by the same method. If the user is not known yet, the proof identifies the user. */
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

/** Reads the stored proofs of a user. Earlier versions stored only the method's name and the time. Such a proof counts as one factor. */
export const restoreProofs = (stored: readonly StoredProof[], userId: string): readonly Proof[] =>
  stored.map(({ method: name, at, amr = [], factors = ['knowledge'], ...more }) => ({
    method: { name, amr, factors, ...more } as AuthenticationMethod,
    userId,
    at: new Date(at),
  }))

const isStrong = ({ method }: Proof) => method.factors.some((factor) => factor !== 'knowledge')

/** The kinds of factors that the proofs show. If all proofs rest on access to a mailbox, they count as a single kind. */
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
 * The time of the authentication (`auth_time`). It is the latest time for which the following holds: the proofs given at that time or
 * later are enough for the class of the session. A second factor that is given later therefore does not make the password recent. If the
 * proofs are not enough for the class, it is the time of the first proof. An impersonated session has no proofs, so its start counts.
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
 * The time of the last proof that is strong enough for sensitive changes. If the user needs a second factor, only proofs other than
 * knowledge are strong enough. A factor that was added in this session counts only up to the time of the last proof by another method
 * (`access/proof.ts`). Otherwise a thief of the session could add a factor and prove it again and again.
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

/** Decides the outcome of an attempt. Proofs of two different users never lead to a session. */
export const decide = (attempt: Attempt, facts: Facts, policy: AttemptPolicy): Decision => {
  const { kind, userId, proofs, counted = 0 } = attempt
  const names = (methods: readonly AuthenticationMethod[]) => methods.map(({ name }) => name)
  if (proofs.some((proof) => proof.userId !== userId)) return { kind: 'refusal', reason: 'proofs-of-different-users' }
  if (proofs.length === 0) return { kind: 'another-proof-needed', reason: 'no-proof', methods: names(facts.enrolled) }
  // A ban is shown only after a correct proof. Otherwise anybody could find out about it by typing a mail address.
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

/**
 * Returns the mail address with most of its characters hidden, for a person who has given only one proof. The owner recognizes the
 * address, but other people cannot read it.
 */
export const maskedAddress = (email: string): string => {
  const at = email.lastIndexOf('@')
  return `${[...email][0] ?? ''}…${email.slice(at)}`
}
