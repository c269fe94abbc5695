import { ApiError } from '../../../src/http/client.ts'
import type { HostedApi } from '../../shared/api.ts'

export type SignOutQuestion = Awaited<ReturnType<HostedApi['oidc']['signOutQuestion']>>

/** Loads the sign-out request that the page's address names: `over` if the request has expired, or if it is about another session. */
export const loadSignOutQuestion = async (api: HostedApi, query: URLSearchParams): Promise<SignOutQuestion | 'over'> => {
  const question = query.get('question')
  if (question === null) return 'over'
  try {
    return await api.oidc.signOutQuestion({ query: { question } })
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) return 'over'
    throw error
  }
}
