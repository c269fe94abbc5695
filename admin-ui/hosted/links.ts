import { newPasswordContract } from '../../src/authentication/methods/password/new-password/contract.ts'
import { ApiError } from '../../src/http/client.ts'
import { setupContract } from '../../src/setup/contract.ts'
import type { Answer, HostedApi } from '../shared/api.ts'
import { takeToken } from './token.ts'

const callsOf = (api: HostedApi) => api.of(newPasswordContract)

export interface VerificationLink extends Answer<ReturnType<typeof callsOf>['checkVerification']> {
  readonly token: string
}

/** Loads the proof that a verification link needs from this browser. Removes the token from the address bar. */
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
  /** The account's address. Undefined if passwords cannot be reset by mail, which the form then says. */
  readonly email?: string
  /** The account that somebody else has made with the address. Null if there is none, so that the page need not ask. */
  readonly account: Answer<ReturnType<typeof callsOf>['checkReset']>['account']
}
export type StrangersAccount = NonNullable<ResetLink['account']>

/** Loads the data of a link that resets a password. Removes the token from the address bar. */
export const loadReset = async (api: HostedApi, query: URLSearchParams): Promise<ResetLink | 'invalid'> => {
  const token = takeToken('/reset-password', query)
  if (token === undefined || query.has('error')) return 'invalid'
  try {
    return { token, ...(await callsOf(api).checkReset({ body: { token } })) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    // If passwords cannot be reset by mail, the form says so when it is sent.
    return error.code === 'INVALID_TOKEN' ? 'invalid' : { token, account: null }
  }
}

export interface RecoveryLink {
  readonly token: string
  /** The address that the link restores. */
  readonly email: string
}

/** Loads the account that a recovery link restores. Removes the token from the address bar. */
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

/** Loads the setup link in the page's address, and checks whether it is valid. */
export const loadSetupLink = async (api: HostedApi, query: URLSearchParams): Promise<SetupLink | 'none'> => {
  const token = takeToken('/setup', query)
  return token === undefined ? 'none' : { token, ...(await api.of(setupContract).check({ body: { token } })) }
}
