import type { Principal } from '../../../access/principal.ts'
import type { SignInFailure, SignInFailures } from '../../failures/index.ts'
import type { ExternalIdentity, FederatedAccounts } from './accounts.ts'

/** The reason of a failed federated sign-in, by the code of its error. */
const reasons: Readonly<Record<string, SignInFailure['reason']>> = {
  REFUSED_BY_PROVIDER: 'provider-refused',
  STATE_NOT_FOUND: 'state-expired',
  PLEASE_RESTART_THE_PROCESS: 'state-expired',
  NO_CODE: 'provider-code',
  INVALID_CODE: 'provider-code',
  INVALID_TOKEN: 'provider-code',
  OAUTH_PROVIDER_NOT_FOUND: 'provider-unknown',
  UNABLE_TO_GET_USER_INFO: 'provider-profile',
  FAILED_TO_GET_USER_INFO: 'provider-profile',
  EMAIL_NOT_FOUND: 'provider-without-address',
  USER_EMAIL_NOT_FOUND: 'provider-without-address',
  ACCOUNT_NOT_LINKED: 'account-not-linked',
  SIGNUP_DISABLED: 'sign-up-disabled',
  BANNED_USER: 'banned',
  EMAIL_NOT_VERIFIED: 'email-not-verified',
}

/** A failed federated sign-in. */
export interface FederatedFailure {
  readonly provider: string | null
  readonly code: string
  /** The account at the provider; undefined if it is not known yet. */
  readonly identity?: ExternalIdentity | undefined
  /** False if the browser did not send the cookie of this sign-in. */
  readonly hasBinding?: boolean
  readonly detail?: SignInFailure['detail']
}

/** Stores failed federated sign-ins for support. */
export const createFailureRecorder =
  (failures: SignInFailures | undefined, accounts: FederatedAccounts) =>
  async (principal: Principal, { provider, code, identity, hasBinding = true, detail }: FederatedFailure, error?: Error) => {
    if (failures === undefined) return
    const known = reasons[code] ?? 'provider-failed'
    const reason = known === 'state-expired' && !hasBinding ? 'state-cookie-missing' : known
    const owner = identity === undefined ? {} : await accounts.ownerOf(identity).catch(() => ({}))
    const answer = typeof error?.cause === 'string' ? error.cause : undefined
    failures.record(principal, { method: 'provider', provider, reason, code, ...owner, detail: { answer, ...detail } }, error)
  }
