import type { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer, SignInMethod } from '../api.ts'

/** The person's second factors, from the server. */
export type FactorStatus = Answer<WireApi<typeof totpContract>['status']>

/** Proofs that are possible in place. */
export type ProofWay = 'passkey' | 'totp' | 'recovery-code' | 'password' | 'mail-code'

interface Facts {
  readonly status: Pick<FactorStatus, 'isEnabled' | 'methods'>
  readonly accounts: readonly Pick<SignInMethod, 'provider'>[]
  /** True if the password alone is not enough. */
  readonly needsSecondFactor: boolean
  readonly knowsPasskeys: boolean
  readonly emailVerified: boolean
  /** True if a given proof was not enough: some changes need the password, even with a second factor that was added in this session. */
  readonly isAgain: boolean
}

/**
 * The person's possible proofs, the most widely accepted first. With two-step verification a password alone is no proof, and a passkey
 * cannot replace a password. Empty if only a new sign-in helps: for a person without a password, an insufficient proof was added in this
 * session.
 */
export const proofWays = ({
  status,
  accounts,
  needsSecondFactor,
  knowsPasskeys,
  emailVerified,
  isAgain,
}: Facts): readonly ProofWay[] => {
  const has = (...names: readonly string[]) => names.some((name) => status.methods.includes(name))
  const hasPassword = accounts.some(({ provider }) => provider === 'credential')
  if (isAgain && !hasPassword && !needsSecondFactor) return []
  const wantsPassword = hasPassword && !needsSecondFactor && (!status.isEnabled || isAgain)
  const ways: readonly (readonly [way: ProofWay, isThere: boolean])[] = [
    ['password', wantsPassword],
    ['passkey', knowsPasskeys && has('passkey', 'security-key') && !(isAgain && wantsPassword)],
    ['totp', has('totp')],
    ['recovery-code', has('recovery-code')],
    // For who has nothing else.
    ['mail-code', emailVerified && !hasPassword && !needsSecondFactor && status.methods.length === 0],
  ]
  return ways.flatMap(([way, isThere]) => (isThere ? [way] : []))
}
