import { socialContract } from '../../src/authentication/methods/federated/contract.ts'
import type { signInMethodContract } from '../../src/authentication/methods/federated/linked-accounts/contract.ts'
import { signInContract } from '../../src/authentication/methods/password/contract.ts'
import { sessionContract } from '../../src/authentication/sessions/contract.ts'
import { verificationContract } from '../../src/authentication/verification/contract.ts'
import { healthContract } from '../../src/health/contract.ts'
import type { CallAnswer, CallParts, Send, Target } from '../../src/http/client.ts'
import { ApiError, jsonOf, sendCall, toApiError } from '../../src/http/client.ts'
import type { Contract, WireApi } from '../../src/http/contract.ts'
import { oidcContract } from '../../src/oidc/contract.ts'

/** A call without an answer fails after this time, in milliseconds. */
const timeoutMs = 30_000

/**
 * Resolves the cause of a refusal, and returns true if the call may be repeated. `isAgain` is true if the call was already repeated and
 * refused again.
 */
export type Remedy = (error: ApiError, isAgain: boolean) => Promise<boolean>

const callOnce = async (target: Target, send: Send, input: CallParts) => {
  const answer = await sendCall(target, send, input)
  const json = jsonOf(await readable(answer))
  if (json === undefined) throw toApiError(answer)
  return json
}

/** Makes addresses with non-ASCII domains readable. The code is loaded when the first one appears, because few pages have any. */
const readable = async (answer: CallAnswer): Promise<CallAnswer> => {
  if (!answer.text.includes('xn--')) return answer
  const { readableAddresses } = await import('../../src/core/idna.ts')
  return { ...answer, text: readableAddresses(answer.text) }
}

const call = async (target: Target, send: Send, input: CallParts, remedy: Remedy) => {
  for (const isAgain of [false, true]) {
    try {
      return await callOnce(target, send, input)
    } catch (error) {
      if (!(error instanceof ApiError) || !(await remedy(error, isAgain))) throw error
    }
  }
  return callOnce(target, send, input)
}

/**
 * The typed client of a contract. The browser knows only method and path of each endpoint. Results have the wire form and are trusted,
 * because they come from this server.
 */
const createWireApi = <C extends Contract>(endpoints: C, send: Send, remedy: Remedy): WireApi<C> =>
  Object.fromEntries(
    Object.entries<Target>(endpoints).map(([name, target]) => [
      name,
      (input: CallParts = {}) => call(target, send, input, remedy),
    ]),
  ) as WireApi<C>

/** The header with the browser's time zone. Browsers that hide the zone report UTC, or none. */
const zoneHeader = (): Readonly<Record<string, string>> => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return timeZone === undefined ? {} : { 'gatehouse-time-zone': timeZone }
}

let isLeaving = false
/** Called before the page is left. Later calls reach the server even if the page has disappeared. */
export const leavePage = (): void => {
  isLeaving = true
}

/**
 * Makes all calls of the hosted pages, with `ask` for requests. `retryAfterSeconds` returns the number from the latest response with that
 * header.
 */
export const createHostedApi = (ask: (path: string, init: RequestInit) => Promise<Response> = fetch) => {
  let retryAfterSeconds: number | undefined
  let current: Remedy | undefined
  const zone = zoneHeader()
  const remedy: Remedy = async (error, isAgain) => (await current?.(error, isAgain)) ?? false
  const send: Send = async (path, init) => {
    const answer = await ask(path, {
      ...init,
      keepalive: isLeaving,
      // Mails that a call sends are in the page's language, and show times in the browser's zone.
      headers: { ...init.headers, 'accept-language': document.documentElement.lang, ...zone },
      credentials: 'same-origin',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const seconds = Number(answer.headers.get('retry-after') ?? answer.headers.get('x-retry-after') ?? Number.NaN)
    retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined
    return answer
  }
  return {
    accounts: createWireApi({ ...signInContract, ...verificationContract }, send, remedy),
    health: createWireApi(healthContract, send, remedy),
    oidc: createWireApi(oidcContract, send, remedy),
    sessions: createWireApi(sessionContract, send, remedy),
    social: createWireApi(socialContract, send, remedy),
    /**
     * Returns the calls of a contract. Contracts that few pages need are loaded with the code of these pages. Each call sends the given
     * headers, and `seen` receives each response.
     */
    of: <C extends Contract>(
      contract: C,
      headers?: Readonly<Record<string, string>>,
      seen?: (response: Response) => void,
    ): WireApi<C> =>
      createWireApi(
        contract,
        async (path, init) => {
          const response = await send(path, { ...init, headers: { ...init.headers, ...headers } })
          seen?.(response)
          return response
        },
        remedy,
      ),
    /** Sets the function that handles refused calls of this client first. Undefined removes it. */
    setRemedy: (next: Remedy | undefined) => {
      current = next
    },
    /** Default handling of a refused call. */
    remedy,
    retryAfterSeconds: () => retryAfterSeconds,
  }
}

export type HostedApi = ReturnType<typeof createHostedApi>
/** The result of a call. */
export type Answer<F extends (...input: never[]) => unknown> = Awaited<ReturnType<F>>

export type Settings = Answer<HostedApi['health']['settings']>
export type Provider = Settings['socialProviders'][number]
export type Interaction = Answer<HostedApi['oidc']['interaction']>
export type SessionAnswer = NonNullable<Answer<HostedApi['sessions']['getSession']>>
export type User = SessionAnswer['user']
export type ListedSession = Answer<HostedApi['sessions']['listSessions']>[number]
export type SignInMethod = Answer<WireApi<typeof signInMethodContract>['listAccounts']>[number]
