import { addressRecoveryContract } from '../../../src/accounts/address-recovery/contract.ts'
import { ApiError } from '../../../src/http/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { takeToken } from '../token.ts'

export interface RecoveryLink {
  readonly token: string
  /** The address that comes back. */
  readonly email: string
}

/** What the link takes back; takes the token out of the address bar. */
export const loadRecovery = async (api: HostedApi, query: URLSearchParams): Promise<RecoveryLink | 'dead'> => {
  const token = takeToken('/recover-address', query)
  if (token === undefined) return 'dead'
  try {
    return { token, ...(await api.of(addressRecoveryContract).checkRecovery({ body: { token } })) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return 'dead'
    throw error
  }
}
