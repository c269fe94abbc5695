import type { Principal } from './principal.ts'

/**
 * The changes that need a recent proof. `now`: within `accounts.changeEmailPasswordSeconds`, since an attacker could keep the account by them. `session`: a
 * session that is fresh (`sessions.freshAgeSeconds`), since it gives an administrator, or another person by them, more than they had. In both a factor that
 * was added in the session counts beside another one alone.
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
  // Better Auth's client asks for nothing in between, and removing a passkey opens no way in.
  'remove-passkey': 'session',
  'set-address': 'session',
  'set-role': 'session',
  impersonate: 'session',
  'give-ownership': 'session',
  'require-factor': 'session',
  'delete-organization': 'session',
} as const satisfies Readonly<Record<string, 'now' | 'session'>>
export type ProofAction = keyof typeof proofActions

/** The proof in the call. */
export interface BroughtProof {
  /** Must be right where it is given. */
  readonly password?: string | undefined
  /** The caller checks the password of this call by itself. */
  readonly isPasswordChecked?: boolean
}

/**
 * The one rule for changes that need a recent proof; services ask it by the kind of change. Only a person in a session is asked: a key is not left at an open screen,
 * a machine or a command line open. It is asked before a transaction, since it reads; of the kind `session`, without a password, also within one.
 * Throws SESSION_IS_NOT_FRESH, and for a password that is given what `PasswordService.confirm` throws.
 */
export type RequireProof = (principal: Principal, action: ProofAction, brought?: BroughtProof) => Promise<void>

/** A proof that the session was given. */
export interface GivenProof {
  readonly method: string
  readonly at: Date
  readonly factors: readonly string[]
  /** By a factor that was added in this session: a thief of the session has that one. */
  readonly isNew: boolean
  /** It counts as a second factor beside a password alone: a mailed code. */
  readonly raisesNoAcr: boolean
}

export interface ProofFacts {
  readonly proofs: readonly GivenProof[]
  readonly hasPassword: boolean
  /** Two factors are needed, and the person has a second one. */
  readonly needsSecondFactor: boolean
  /** A right password came with the call. */
  readonly isPasswordGiven: boolean
}

const isStrong = ({ factors }: GivenProof) => factors.some((factor) => factor !== 'knowledge')

interface Ages {
  readonly recentSeconds: number
  /** 0: every session is fresh. */
  readonly freshSeconds: number
}

/**
 * True when the proofs are recent enough: the password, and for a person without one any sign-in method. A person who needs a second factor proves that
 * one, or has given it while the session is fresh besides the other. A factor that was added in this session is never a proof alone.
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
