/** Types of the server's answers in a state, derived from the contracts. Nothing here needs a browser, so that tests can use the states, too. */
import type { sessionContract } from '../../src/authentication/sessions/contract.ts'
import type { healthContract } from '../../src/health/contract.ts'
import type { WireApi } from '../../src/http/contract.ts'
import type { oidcContract } from '../../src/oidc/contract.ts'

type Answer<F extends (...input: never[]) => unknown> = Awaited<ReturnType<F>>

export type Settings = Answer<WireApi<typeof healthContract>['settings']>
export type Interaction = Answer<WireApi<typeof oidcContract>['interaction']>
export type SessionAnswer = NonNullable<Answer<WireApi<typeof sessionContract>['getSession']>>
