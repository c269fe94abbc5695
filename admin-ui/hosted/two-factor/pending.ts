import { pendingSignInContract } from '../../../src/authentication/attempts/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import type { Answer, HostedApi } from '../../shared/api.ts'
import { isSameOrigin, returnUrlOf } from '../return-url.ts'

const callsOf = (api: HostedApi) => api.of(pendingSignInContract)

/** What the server knows about the second step, and where it leads. */
export interface SecondStep extends Answer<ReturnType<typeof callsOf>['pendingSignIn']> {
  /** Of our own origin, or one that the server has vetted. */
  readonly destination: string
}

/** True when the time for the step is over, or it was done elsewhere. */
export const isOver = (error: unknown): boolean => error instanceof ApiError && error.code === 'INVALID_TWO_FACTOR_COOKIE'

/** What waits in this browser. Who comes with a foreign address that the server does not trust goes to the account. */
export const loadSecondStep = async (api: HostedApi, query: URLSearchParams): Promise<SecondStep | 'over'> => {
  const destination = returnUrlOf(query)
  const { pendingSignIn } = callsOf(api)
  try {
    if (isSameOrigin(destination)) return { ...(await pendingSignIn({ query: {} })), destination }
    return { ...(await pendingSignIn({ query: { callbackURL: destination } })), destination }
  } catch (error) {
    if (isOver(error)) return 'over'
    if (error instanceof ApiError && error.code === 'INVALID_CALLBACKURL') return loadSecondStep(api, new URLSearchParams())
    throw error
  }
}
