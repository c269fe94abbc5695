import { confirmationContract } from '../../../src/accounts/confirmation/contract.ts'
import { ApiError } from '../../../src/http/contract.ts'
import type { Answer, HostedApi } from '../../shared/api.ts'
import { takeToken } from '../token.ts'

const callsOf = (api: HostedApi) => api.of(confirmationContract)

export interface VerificationLink extends Answer<ReturnType<typeof callsOf>['checkVerification']> {
  readonly token: string
}

/** What the link asks of this browser; takes the token out of the address bar. */
export const loadVerification = async (api: HostedApi, query: URLSearchParams): Promise<VerificationLink | 'dead'> => {
  const token = takeToken('/confirm-email', query)
  if (token === undefined) return 'dead'
  try {
    return { token, ...(await callsOf(api).checkVerification({ body: { token } })) }
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 401)) return 'dead'
    throw error
  }
}
