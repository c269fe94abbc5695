/** Values of RFC 8176, section 2, for the methods there are and those to come. */
export type Amr = 'pwd' | 'otp' | 'hwk' | 'swk' | 'user' | 'mfa'

/**
 * Kinds of evidence; two proofs of one kind are one factor. A federated sign-in and a mailed link count as knowledge: they show that the person
 * could sign in elsewhere, and beside a password they are no second factor (NIST SP 800-63B, section 5.1.3.1, excludes mail).
 */
export type Factor = 'knowledge' | 'possession' | 'inherence'

export type MethodName = 'password' | 'federated' | 'mail-link' | 'passkey' | 'one-time-code' | 'recovery-code'

/** One way to authenticate. Each is declared in the folder that checks it. */
export interface AuthenticationMethod {
  readonly name: MethodName
  /** Empty where RFC 8176 has no value: a federated sign-in, a mailed link. */
  readonly amr: readonly Amr[]
  /** What it proves; a passkey with user verification proves two. */
  readonly factors: readonly Factor[]
}

/** A method that succeeded for a user. */
export interface Proof {
  readonly method: AuthenticationMethod
  readonly userId: string
  readonly at: Date
}

/**
 * One person's attempt to sign in. `userId` is undefined until an address or a proof names an account. `renewal`: a session of the user is
 * replaced, so that what admits people is not asked again.
 */
export interface Attempt {
  readonly kind: 'sign-in' | 'renewal'
  readonly userId: string | undefined
  readonly proofs: readonly Proof[]
}

/** Facts about the user of the attempt. */
export interface Facts {
  readonly isBanned: boolean
  readonly emailVerified: boolean
  /** Methods that the user could prove next. */
  readonly enrolled: readonly AuthenticationMethod[]
}

/** What is enough for a session. */
export interface AttemptPolicy {
  /** Authentication context classes by the least number of factors, ascending. */
  readonly levels: readonly { readonly acr: string; readonly factors: number }[]
  /** The factors that a session needs. */
  readonly requiredFactors: number
  /** Methods that sign in only users with a verified address. */
  readonly needVerifiedAddress: readonly MethodName[]
}

export type Decision =
  | { readonly kind: 'session'; readonly amr: readonly Amr[]; readonly acr: string }
  | {
      readonly kind: 'another-proof-needed'
      readonly reason: 'no-proof' | 'too-few-factors'
      readonly methods: readonly MethodName[]
    }
  | { readonly kind: 'enrolment-needed'; readonly reason: 'too-few-factors' }
  | { readonly kind: 'refusal'; readonly reason: 'banned' | 'email-not-verified' | 'proofs-of-different-users' }

/** The class of a session with one factor. Documented in decision 0124; a second factor gets one of its own. */
export const oneFactor = 'urn:gatehouse:acr:1fa'

/** The class of a session in which somebody acts as the user: nobody has proven to be them. */
export const impersonatedAcr = 'urn:gatehouse:acr:impersonated'

export const startAttempt = (kind: Attempt['kind'], userId: string | undefined): Attempt => ({ kind, userId, proofs: [] })

/** The attempt with one more proof. The first proof names the user where nothing else did. */
export const addProof = (attempt: Attempt, proof: Proof): Attempt => ({
  ...attempt,
  userId: attempt.userId ?? proof.userId,
  proofs: [...attempt.proofs, proof],
})

const factorsOf = (proofs: readonly Proof[]): ReadonlySet<Factor> => new Set(proofs.flatMap(({ method }) => method.factors))

/** What an attempt leads to. Proofs of another user than the attempt's never add up to a session. */
export const decide = (attempt: Attempt, facts: Facts, policy: AttemptPolicy): Decision => {
  const { kind, userId, proofs } = attempt
  const names = (methods: readonly AuthenticationMethod[]) => methods.map(({ name }) => name)
  if (proofs.some((proof) => proof.userId !== userId)) return { kind: 'refusal', reason: 'proofs-of-different-users' }
  if (proofs.length === 0) return { kind: 'another-proof-needed', reason: 'no-proof', methods: names(facts.enrolled) }
  // Said to nobody who has proven nothing: else whoever names an address would learn of the ban.
  if (facts.isBanned) return { kind: 'refusal', reason: 'banned' }
  const needsVerified = proofs.some(({ method }) => policy.needVerifiedAddress.includes(method.name))
  if (kind === 'sign-in' && needsVerified && !facts.emailVerified) return { kind: 'refusal', reason: 'email-not-verified' }

  const factors = factorsOf(proofs)
  const level = policy.levels.findLast((one) => one.factors <= factors.size)
  if (level !== undefined && factors.size >= policy.requiredFactors) {
    const values = proofs.flatMap(({ method }) => method.amr)
    return { kind: 'session', amr: [...new Set(factors.size > 1 ? [...values, 'mfa' as const] : values)], acr: level.acr }
  }
  const further = facts.enrolled.filter((method) => method.factors.some((factor) => !factors.has(factor)))
  return further.length > 0
    ? { kind: 'another-proof-needed', reason: 'too-few-factors', methods: names(further) }
    : { kind: 'enrolment-needed', reason: 'too-few-factors' }
}
