import { pendingSignInContract } from '../../../src/authentication/attempts/contract.ts'
import { recoveryContract } from '../../../src/authentication/second-factor-recovery/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import type { Answer, HostedApi } from '../../shared/api.ts'
import { isSameOrigin, returnUrlOf } from '../return-url.ts'

const callsOf = (api: HostedApi) => api.of(pendingSignInContract)

const recoveryOf = (api: HostedApi) => api.of(recoveryContract).secondFactorRecovery({})

/** Whether who has lost all second factors may wait, and how far the wait is. */
export type RecoveryState = Answer<typeof recoveryOf>

/** What the server knows about the second step, and where it leads. */
export interface SecondStep extends Answer<ReturnType<typeof callsOf>['pendingSignIn']> {
  /** Of our own origin, or one that the server has vetted. */
  readonly destination: string
  readonly recovery: RecoveryState
}

/** True when the time for the step is over, or it was done elsewhere. */
export const isOver = (error: unknown): boolean => error instanceof ApiError && error.code === 'INVALID_TWO_FACTOR_COOKIE'

/** What waits in this browser. Who comes with a foreign address that the server does not trust goes to the account. */
export const loadSecondStep = async (api: HostedApi, query: URLSearchParams): Promise<SecondStep | 'over'> => {
  const destination = returnUrlOf(query)
  const ask = async (query: { readonly callbackURL?: string }) => {
    const [pending, recovery] = await Promise.all([callsOf(api).pendingSignIn({ query }), recoveryOf(api)])
    return { ...pending, destination, recovery }
  }
  try {
    return await ask(isSameOrigin(destination) ? {} : { callbackURL: destination })
  } catch (error) {
    if (isOver(error)) return 'over'
    if (error instanceof ApiError && error.code === 'INVALID_CALLBACKURL') return loadSecondStep(api, new URLSearchParams())
    throw error
  }
}
