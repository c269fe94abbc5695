import { newPasswordContract } from '../../src/authentication/methods/password/new-password/contract.ts'
import { ApiError } from '../../src/http/client.ts'
import { setupContract } from '../../src/setup/contract.ts'
import type { Answer, HostedApi } from '../shared/api.ts'
import { takeToken } from './token.ts'

const callsOf = (api: HostedApi) => api.of(newPasswordContract)

export interface VerificationLink extends Answer<ReturnType<typeof callsOf>['checkVerification']> {
  readonly token: string
}

/** Removes the token of a verification link from the address bar, and asks the server how this browser can confirm the address. */
export const loadVerification = async (api: HostedApi, query: URLSearchParams): Promise<VerificationLink | 'invalid'> => {
  const token = takeToken('/confirm-email', query)
  if (token === undefined) return 'invalid'
  try {
    return { token, ...(await callsOf(api).checkVerification({ body: { token } })) }
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 401)) return 'invalid'
    throw error
  }
}

export interface ResetLink {
  readonly token: string
  /** The email address of the account. Undefined if passwords cannot be reset by mail. The form says so when it is sent. */
  readonly email?: string
  /**
   * The account that somebody else has made with the email address. If it is null, there is no such account, and the page does not ask
   * about one.
   */
  readonly account: Answer<ReturnType<typeof callsOf>['checkReset']>['account']
}
export type StrangersAccount = NonNullable<ResetLink['account']>

/** Removes the token of a password reset link from the address bar, and loads what the link is for. */
export const loadReset = async (api: HostedApi, query: URLSearchParams): Promise<ResetLink | 'invalid'> => {
  const token = takeToken('/reset-password', query)
  if (token === undefined || query.has('error')) return 'invalid'
  try {
    return { token, ...(await callsOf(api).checkReset({ body: { token } })) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    // The server does not reset passwords by mail. The page still shows the form, which says so when it is sent.
    return error.code === 'INVALID_TOKEN' ? 'invalid' : { token, account: null }
  }
}

export interface RecoveryLink {
  readonly token: string
  /** The email address that the account gets back. */
  readonly email: string
}

/** Removes the token of a link that takes an account back from the address bar, and loads what the link is for. */
export const loadRecovery = async (api: HostedApi, query: URLSearchParams): Promise<RecoveryLink | 'invalid'> => {
  const token = takeToken('/recover-address', query)
  if (token === undefined) return 'invalid'
  try {
    return { token, ...(await api.of(newPasswordContract).checkRecovery({ body: { token } })) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return 'invalid'
    throw error
  }
}

export interface SetupLink {
  readonly token: string
  readonly valid: boolean
  readonly administratorExists: boolean
}

/** Loads what the setup link in the page's address allows, and whether it is valid. */
export const loadSetupLink = async (api: HostedApi, query: URLSearchParams): Promise<SetupLink | 'none'> => {
  const token = takeToken('/setup', query)
  return token === undefined ? 'none' : { token, ...(await api.of(setupContract).check({ body: { token } })) }
}
