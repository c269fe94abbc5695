import type { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer, SignInMethod } from '../api.ts'

/** The person's second factors, from the server. */
export type FactorStatus = Answer<WireApi<typeof totpContract>['status']>

/** The kinds of proof that the dialog can ask for. */
export type ProofWay = 'passkey' | 'totp' | 'recovery-code' | 'password' | 'mail-code'

interface Facts {
  readonly status: Pick<FactorStatus, 'isEnabled' | 'methods'>
  readonly accounts: readonly Pick<SignInMethod, 'provider'>[]
  /** True if the password alone is not enough. */
  readonly needsSecondFactor: boolean
  readonly knowsPasskeys: boolean
  readonly emailVerified: boolean
  /** True if a proof was given but was not enough. Some changes need the password, even with a second factor that was added in this session. */
  readonly isAgain: boolean
}

/**
 * The kinds of proof that the person can give, the most widely accepted first. With two-step verification a password alone is no proof. A
 * passkey cannot replace a password that is needed. The list is empty if only a new sign-in helps, as after an insufficient proof by a
 * person without a password.
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
    // Offered to people who have no other proof.
    ['mail-code', emailVerified && !hasPassword && !needsSecondFactor && status.methods.length === 0],
  ]
  return ways.flatMap(([way, isThere]) => (isThere ? [way] : []))
}
