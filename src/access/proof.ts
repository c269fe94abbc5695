import type { Principal } from './principal.ts'

/**
 * The changes that need a recent proof. `now` asks for a proof within `accounts.changeEmailPasswordSeconds`, because a thief could keep
 * the account by such a change. `session` asks for a fresh session (`sessions.freshAgeSeconds`). These are mostly changes by which an
 * administrator could get more rights for themselves or for somebody else. For both, a factor that was added in this session counts only
 * together with another factor.
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
  // Better Auth's client cannot ask for a proof here, and removing a passkey gives nobody access.
  'remove-passkey': 'session',
  'set-address': 'session',
  'set-role': 'session',
  impersonate: 'session',
  'give-ownership': 'session',
  'require-factor': 'session',
  'delete-organization': 'session',
} as const satisfies Readonly<Record<string, 'now' | 'session'>>
export type ProofAction = keyof typeof proofActions

/** The proof that a call itself contains. */
export interface BroughtProof {
  /** The password. A wrong one is refused even where no proof is needed. */
  readonly password?: string | undefined
  /** True when the caller of `RequireProof` has already checked the password. */
  readonly isPasswordChecked?: boolean
}

/**
 * Requires a recent proof for a change of the given kind. Only sessions need one, because nobody leaves a key, a machine or a command
 * line at an unlocked screen. Call it before a transaction, because it reads the database. An action of kind `session` without a password
 * may also be checked inside a transaction. Throws SESSION_IS_NOT_FRESH, and for a given password the errors of
 * `PasswordService.confirm`.
 */
export type RequireProof = (principal: Principal, action: ProofAction, brought?: BroughtProof) => Promise<void>

/** A proof that the session contains. */
export interface GivenProof {
  readonly method: string
  readonly at: Date
  readonly factors: readonly string[]
  /** True for a factor that was added in this session. A thief of the session would control such a factor too. */
  readonly isNew: boolean
  /** True for a mailed code, which is a second factor only together with a password. */
  readonly raisesNoAcr: boolean
}

export interface ProofFacts {
  readonly proofs: readonly GivenProof[]
  readonly hasPassword: boolean
  /** True when the change needs two factors and the person has a second one. */
  readonly needsSecondFactor: boolean
  /** True when the call contains the correct password. */
  readonly isPasswordGiven: boolean
}

const isStrong = ({ factors }: GivenProof) => factors.some((factor) => factor !== 'knowledge')

interface Ages {
  readonly recentSeconds: number
  /** With 0 every session counts as fresh. */
  readonly freshSeconds: number
}

/**
 * True when the proofs are recent enough. The first proof is the password; people without a password can use any sign-in method. For
 * people who need a second factor, a recent proof of that factor is enough. Otherwise they need the first proof, and a second factor from
 * a fresh session. A factor that was added in this session is never enough alone.
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
