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

/** If a call gets no response within this time, in milliseconds, it fails. */
const timeoutMs = 30_000

/**
 * Removes the cause of a refusal, for example by asking for a proof of identity. Returns true if the call may then be repeated. `isAgain`
 * is true if the repeated call was refused, too.
 */
export type Remedy = (error: ApiError, isAgain: boolean) => Promise<boolean>

const callOnce = async (target: Target, send: Send, input: CallParts) => {
  const answer = await sendCall(target, send, input)
  const json = jsonOf(await readable(answer))
  if (json === undefined) throw toApiError(answer)
  return json
}

/**
 * Converts email addresses and URLs with non-ASCII domains in a response to their readable form. This code is loaded when the first such
 * domain appears, because that is rare.
 */
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
 * A typed client for the endpoints of a contract. At run time the browser only knows the method and path of each endpoint. It trusts the
 * response bodies without validation, because they come from this server.
 */
const createWireApi = <C extends Contract>(endpoints: C, send: Send, remedy: Remedy): WireApi<C> =>
  Object.fromEntries(
    Object.entries<Target>(endpoints).map(([name, target]) => [
      name,
      (input: CallParts = {}) => call(target, send, input, remedy),
    ]),
  ) as WireApi<C>

/** A header with the browser's time zone. Some browsers hide the zone and report UTC or nothing. */
const zoneHeader = (): Readonly<Record<string, string>> => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return timeZone === undefined ? {} : { 'gatehouse-time-zone': timeZone }
}

let isLeaving = false
/** Called before the browser leaves the page. Calls made afterwards are still sent, even if the page has already disappeared. */
export const leavePage = (): void => {
  isLeaving = true
}

/**
 * Returns the functions with which the hosted pages call the server. `ask` sends the requests. `retryAfterSeconds` returns how long the
 * latest answer asks to wait; undefined if it does not.
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
      // With these headers, mails that the call causes are in the page's language, and contain times in the browser's zone.
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
     * Returns functions that call the endpoints of a contract. A contract that few pages need is loaded with the code of these pages.
     * Each call sends the given headers, and each response is passed to `seen`.
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
    /** Sets the function that first handles refused calls of this client. Undefined removes the function. */
    setRemedy: (next: Remedy | undefined) => {
      current = next
    },
    /** How refused calls are handled otherwise. */
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
