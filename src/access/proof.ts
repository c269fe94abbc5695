import type { Principal } from './principal.ts'

/**
 * The changes that need a recent proof. `now`: within `accounts.changeEmailPasswordSeconds`, since an attacker could keep the account by
 * such a change. `session`: a fresh session (`sessions.freshAgeSeconds`), since the change gives an administrator, or another person
 * through them, more than they had. For both, a factor added in the session only counts together with another one.
 */
export const proofActions = {
  'change-address': 'now',
  'change-password': 'now',
  'add-passkey': 'now',
  'add-authenticator': 'now',
  'replace-authenticator': 'now',
  'show-authenticator': 'now',
  'remove-authenticator': 'now',
  'make-recovery-codes': 'now',
  'link-account': 'now',
  'unlink-account': 'now',
  'make-api-key': 'now',
  'delete-account': 'now',
  'change-settings': 'now',
  // Better Auth's client has no step for a proof here, and removing a passkey gives no access.
  'remove-passkey': 'session',
  'set-address': 'session',
  'set-role': 'session',
  impersonate: 'session',
  'give-ownership': 'session',
  'require-factor': 'session',
  'delete-organization': 'session',
} as const satisfies Readonly<Record<string, 'now' | 'session'>>
export type ProofAction = keyof typeof proofActions

/** The proof sent with the call. */
export interface BroughtProof {
  /** The password; has to be right if sent. */
  readonly password?: string | undefined
  /** True where the caller checks the password of this call. */
  readonly isPasswordChecked?: boolean
}

/**
 * The rule for changes that need a recent proof; services name the kind of change. Only sessions need one: nobody leaves a key, a machine
 * or a command line at an unlocked screen. Call it before a transaction, since it reads; `session` without a password also within one.
 * Throws SESSION_IS_NOT_FRESH, and for a sent password the errors of `PasswordService.confirm`.
 */
export type RequireProof = (principal: Principal, action: ProofAction, brought?: BroughtProof) => Promise<void>

/** A proof of the session. */
export interface GivenProof {
  readonly method: string
  readonly at: Date
  readonly factors: readonly string[]
  /** True for a factor that was added in this session: whoever stole the session controls such a factor. */
  readonly isNew: boolean
  /** True for a mailed code, which is a second factor only together with a password. */
  readonly raisesNoAcr: boolean
}

export interface ProofFacts {
  readonly proofs: readonly GivenProof[]
  readonly hasPassword: boolean
  /** True where two factors are needed and the person has a second one. */
  readonly needsSecondFactor: boolean
  /** True when the call contains the right password. */
  readonly isPasswordGiven: boolean
}

const isStrong = ({ factors }: GivenProof) => factors.some((factor) => factor !== 'knowledge')

interface Ages {
  readonly recentSeconds: number
  /** 0: every session is fresh. */
  readonly freshSeconds: number
}

/**
 * True when the proofs are recent enough: the password, or any sign-in method for a person without one. A person who needs a second
 * factor needs a recent proof of it, or one while the session is fresh together with the other proof. A factor added in this session is
 * never enough.
 */
export const isProven = (facts: ProofFacts, now: Date, { recentSeconds, freshSeconds }: Ages): boolean => {
  const { proofs, hasPassword, needsSecondFactor, isPasswordGiven } = facts
  const within = (seconds: number) => proofs.filter(({ at }) => now.getTime() - at.getTime() <= seconds * 1000)
  const recent = within(recentSeconds).filter(({ isNew }) => !isNew)
  const hasGivenPassword = isPasswordGiven || recent.some(({ method }) => method === 'password')
  const isFirst = hasPassword ? hasGivenPassword : recent.length > 0
  if (!needsSecondFactor) return isFirst
  if (recent.some((proof) => isStrong(proof) && !(hasPassword && proof.raisesNoAcr))) return true
  return isFirst && (freshSeconds === 0 ? proofs : within(freshSeconds)).some(isStrong)
}
