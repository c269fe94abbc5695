import type { Principal } from './principal.ts'

/**
 * The changes for which a person must have proved their identity recently. `now`: within `accounts.changeEmailPasswordSeconds`, because a
 * thief of the session could keep the account by such a change. `session`: within `sessions.freshAgeSeconds`. Most changes of this kind
 * could give somebody more rights. For both, a factor that was added in the same session counts only together with another factor.
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
  // This needs less than `now`: clients of Better Auth cannot ask for a proof here, and removing a passkey gives nobody access.
  'remove-passkey': 'session',
  'set-address': 'session',
  'set-role': 'session',
  impersonate: 'session',
  'give-ownership': 'session',
  'require-factor': 'session',
  'delete-organization': 'session',
} as const satisfies Readonly<Record<string, 'now' | 'session'>>
export type ProofAction = keyof typeof proofActions

/** A proof of identity that a call itself contains. */
export interface BroughtProof {
  /** The password of the user. A wrong password is refused even if no proof is needed. */
  readonly password?: string | undefined
  /** True if the caller of `RequireProof` has already checked the password. */
  readonly isPasswordChecked?: boolean
}

/**
 * Requires that the person has proved their identity recently enough for this change. Only sessions are checked, because nobody leaves an
 * API key, a machine or a command line at an unlocked screen. Call it before the transaction, because it reads the database. For an
 * action of kind `session`, without a password, it may also be called in the transaction. Throws SESSION_IS_NOT_FRESH, and for a given
 * password the errors of `PasswordService.confirm`.
 */
export type RequireProof = (principal: Principal, action: ProofAction, brought?: BroughtProof) => Promise<void>

/** A proof of identity that was given in the session. */
export interface GivenProof {
  readonly method: string
  readonly at: Date
  readonly factors: readonly string[]
  /** True for a factor that was added in this session. A thief of the session could have added it. */
  readonly isNew: boolean
  /** True for a mailed code. It is a second factor only together with a password. */
  readonly raisesNoAcr: boolean
}

export interface ProofFacts {
  readonly proofs: readonly GivenProof[]
  readonly hasPassword: boolean
  /** True if the change requires two factors, and the person has a second factor. */
  readonly needsSecondFactor: boolean
  /** True if the call contains the right password. */
  readonly isPasswordGiven: boolean
}

const isStrong = ({ factors }: GivenProof) => factors.some((factor) => factor !== 'knowledge')

interface Ages {
  readonly recentSeconds: number
  /** How old a proof may be for an action of kind `session`, in seconds. If 0, every session is fresh. */
  readonly freshSeconds: number
}

/**
 * True if the proofs of identity are recent enough. The first factor is the password; for people without a password, it is any sign-in
 * method. People who need a second factor must have used it recently; that is enough. Otherwise people must have used the first factor
 * recently, and a second factor while the session is fresh. A factor that was added in this session is never enough on its own.
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
