import { newPasswordContract } from '../../src/authentication/methods/password/new-password/contract.ts'
import { ApiError } from '../../src/http/client.ts'
import { setupContract } from '../../src/setup/contract.ts'
import type { Answer, HostedApi } from '../shared/api.ts'
import { takeToken } from './token.ts'

const callsOf = (api: HostedApi) => api.of(newPasswordContract)

export interface VerificationLink extends Answer<ReturnType<typeof callsOf>['checkVerification']> {
  readonly token: string
}

/** The proof that the link needs from this browser; removes the token from the address bar. */
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
  /** Undefined if passwords are not reset by mail, which the form says. */
  readonly email?: string
  /** The account that somebody else made with the address; null: no question. */
  readonly account: Answer<ReturnType<typeof callsOf>['checkReset']>['account']
}
export type StrangersAccount = NonNullable<ResetLink['account']>

/** The question of the link beside the password; removes the token from the address bar. */
export const loadReset = async (api: HostedApi, query: URLSearchParams): Promise<ResetLink | 'invalid'> => {
  const token = takeToken('/reset-password', query)
  if (token === undefined || query.has('error')) return 'invalid'
  try {
    return { token, ...(await callsOf(api).checkReset({ body: { token } })) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    // If passwords are not reset by mail, the form says so.
    return error.code === 'INVALID_TOKEN' ? 'invalid' : { token, account: null }
  }
}

export interface RecoveryLink {
  readonly token: string
  /** The address that the link restores. */
  readonly email: string
}

/** The account that the link restores; removes the token from the address bar. */
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

/** The setup link of the page, and whether it is valid. */
export const loadSetupLink = async (api: HostedApi, query: URLSearchParams): Promise<SetupLink | 'none'> => {
  const token = takeToken('/setup', query)
  return token === undefined ? 'none' : { token, ...(await api.of(setupContract).check({ body: { token } })) }
}
