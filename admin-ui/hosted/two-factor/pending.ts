import { pendingSignInContract } from '../../../src/authentication/attempts/contract.ts'
import { recoveryContract } from '../../../src/authentication/second-factor-recovery/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import type { Answer, HostedApi } from '../../shared/api.ts'
import { isSameOrigin, returnUrlOf } from '../return-url.ts'

const callsOf = (api: HostedApi) => api.of(pendingSignInContract)

const recoveryOf = (api: HostedApi) => api.of(recoveryContract).secondFactorRecovery({})

/** Whether a person who has lost all second factors may recover the account by waiting, and the progress of the wait. */
export type RecoveryState = Answer<typeof recoveryOf>

/** The server's data about the second step, and its target. */
export interface SecondStep extends Answer<ReturnType<typeof callsOf>['pendingSignIn']> {
  /** Target of the sign-in. It is on this origin, or the server has checked it. */
  readonly destination: string
  readonly recovery: RecoveryState
}

/** True if the step has expired, or was completed elsewhere. */
export const isOver = (error: unknown): boolean => error instanceof ApiError && error.code === 'INVALID_TWO_FACTOR_COOKIE'

/** Loads the pending sign-in of this browser. If the target of the sign-in is not trusted, the sign-in leads to the account. */
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
