import type { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer, SignInMethod } from '../api.ts'

/** What the server says about the person's second factors. */
export type FactorStatus = Answer<WireApi<typeof totpContract>['status']>

/** The kinds of proof that the dialog can ask for. */
export type ProofWay = 'passkey' | 'totp' | 'recovery-code' | 'password' | 'mail-code'

interface Facts {
  readonly status: Pick<FactorStatus, 'isEnabled' | 'methods'>
  readonly accounts: readonly Pick<SignInMethod, 'provider'>[]
  /** True if the person needs a second factor, so that the password alone is not enough. */
  readonly needsSecondFactor: boolean
  readonly knowsPasskeys: boolean
  readonly emailVerified: boolean
  /**
   * True if the person has given a proof and the server still refused the call. Some changes need the password, even if a second factor
   * was added in this session.
   */
  readonly isAgain: boolean
}

/**
 * The kinds of proof that the person can give, the best one first. With two-step verification, a password alone is no proof. If the
 * password is needed, a passkey cannot replace it. The list is empty if the person has to sign in again, for example if a proof was not
 * enough and the person has no password.
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
    // A code by mail is offered only to people who have no other proof.
    ['mail-code', emailVerified && !hasPassword && !needsSecondFactor && status.methods.length === 0],
  ]
  return ways.flatMap(([way, isThere]) => (isThere ? [way] : []))
}
