import type { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer, SignInMethod } from '../api.ts'

/** The second factors of the person, as the server tells them. */
export type FactorStatus = Answer<WireApi<typeof totpContract>['status']>

/** What can be asked for in place. */
export type ProofWay = 'passkey' | 'totp' | 'recovery-code' | 'password' | 'mail-code'

interface Facts {
  readonly status: Pick<FactorStatus, 'isEnabled' | 'methods'>
  readonly accounts: readonly Pick<SignInMethod, 'provider'>[]
  /** The password alone is not enough, whoever asks. */
  readonly needsSecondFactor: boolean
  readonly knowsPasskeys: boolean
  readonly emailVerified: boolean
  /** A proof was given and is not enough: some changes want the password itself, beside a second factor that was added in this session too. */
  readonly isAgain: boolean
}

/**
 * What this person can give, what counts for most changes first. The password alone is no proof for who has switched the second step on, and a passkey is
 * none in the place of a password. Empty where only a new sign-in helps: of who has no password a proof that was not enough was added in this session.
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
