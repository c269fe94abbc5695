import type { ReactNode } from 'react'
import { createContext, use } from 'react'
import type { InstancePermission } from '../../src/access/permissions.ts'
import type { CallParts, Target } from '../../src/http/client.ts'
import { ApiError, toApiError } from '../../src/http/client.ts'
import type { Contract, WireApi } from '../../src/http/contract.ts'
import type { roleContract } from '../../src/identity/roles/contract.ts'
import type { Answer } from '../shared/api.ts'
import { createHostedApi } from '../shared/api.ts'

/** Options of a call that changes something, in addition to its parameters and body. */
export interface ChangeParts extends CallParts {
  /** ETag of the state that the change is based on. If the resource has changed since then, the server answers 412. */
  readonly ifMatch?: string | undefined
  /** The person's reason for the change, which the audit event stores. */
  readonly reason?: string | undefined
}

/** A call that the console has made and that may have changed something. */
export interface MadeCall {
  readonly target: Target
  readonly input: CallParts
  /** The response body. Undefined if the server refused the call. */
  readonly answer: unknown
}

type AnyCall = (input: CallParts) => Promise<unknown>

/** The server's data about the person at the console. */
export type Access = Answer<WireApi<typeof roleContract>['readAccess']>

interface Reading {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Called with each piece of the response body as it arrives. */
  readonly onText: (text: string) => void
}

/** Reads a response body to its end, and passes each piece to `onText` as it arrives. Throws `ApiError`. */
const readText = async ({ path }: Target, { headers, signal, onText }: Reading): Promise<void> => {
  const noAnswer = () => {
    throw new ApiError(0, 'NETWORK', 'No answer from the server')
  }
  const response = await fetch(path, { headers, credentials: 'same-origin', signal }).catch(noAnswer)
  if (!response.ok || response.body === null) throw toApiError({ response, text: await response.text() })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value = '' } = await reader.read().catch(noAnswer)
    if (done) return
    onText(value)
  }
}

/** Reads a response in JSON Lines. Calls `onLine` for each line as soon as the line is complete. Throws `ApiError`. */
const readLines = async (target: Target, onLine: (line: unknown) => void, signal: AbortSignal): Promise<void> => {
  let rest = ''
  const onText = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') onLine(JSON.parse(line))
  }
  await readText(target, { headers: { accept: 'application/x-ndjson' }, signal, onText })
  onText('\n')
}

/** Fetches a file and lets the browser save it under the name that the server gives. Throws `ApiError`. */
const saveFile = async ({ path }: Target, { id }: { readonly id: string }): Promise<void> => {
  const response = await fetch(path.replace(':id', encodeURIComponent(id)), { credentials: 'same-origin' }).catch(() => {
    throw new ApiError(0, 'NETWORK', 'No answer from the server')
  })
  if (!response.ok) throw toApiError({ response, text: await response.text() })
  const [, name = id] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  // The browser reads the blob after this function has returned, so its URL is revoked a minute later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/**
 * Makes all calls of the console. If the server refuses a call because it needs a recent proof of identity, the call waits until the
 * person has given the proof (`setRemedy`), and is then repeated.
 */
export const createConsoleApi = () => {
  const hosted = createHostedApi()
  const etags = new WeakMap<object, string>()
  const asked = new WeakMap<object, number>()
  const answered = new Map<string, number>()
  let made: MadeCall[] = []
  let isQuiet = false
  /** Calls an endpoint of a contract and returns the response body. Throws `ApiError`. */
  const call = async <C extends Contract, K extends keyof C & string>(
    contract: C,
    name: K,
    { ifMatch, reason, ...input }: ChangeParts = {},
  ): Promise<Answer<WireApi<C>[K]>> => {
    const headers = {
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(reason === undefined || reason === '' ? {} : { 'gatehouse-reason': encodeURIComponent(reason) }),
    }
    const target: Target | undefined = contract[name]
    const isChange = target !== undefined && target.method !== 'GET'
    const askedAt = performance.now()
    let etag: string | null = null
    const calls = hosted.of(contract, headers, (response) => {
      etag = response.headers.get('etag')
      const requestId = response.headers.get('x-request-id')
      if (isChange && requestId !== null) answered.set(requestId, performance.now())
    })
    const query = isQuiet ? { ...input.query, disableRefresh: 'true' } : input.query
    let result: unknown
    try {
      result = await (calls[name] as AnyCall)(query === undefined ? input : { ...input, query })
    } finally {
      if (isChange) made.push({ target, input, answer: result })
    }
    if (typeof result === 'object' && result !== null) {
      asked.set(result, askedAt)
      if (etag !== null) etags.set(result, etag)
    }
    return result as Answer<WireApi<C>[K]>
  }
  return {
    hosted,
    call,
    /** Calls that `begin` makes synchronously are marked as automatic, so they do not extend the session. */
    quietly: (begin: () => void): void => {
      isQuiet = true
      begin()
      isQuiet = false
    },
    readText,
    readLines,
    /** Saves a file from the server. If the server asks for a proof of identity, the person gives the proof first. Throws `ApiError`. */
    saveFile: async (target: Target, params: { readonly id: string }): Promise<void> => {
      for (const isAgain of [false, true]) {
        try {
          return await saveFile(target, params)
        } catch (error) {
          if (!(error instanceof ApiError) || !(await hosted.remedy(error, isAgain))) throw error
        }
      }
      return saveFile(target, params)
    },
    /** Returns the ETag that came with a response body of `call`. A later change of the resource sends this ETag as `If-Match`. */
    etagOf: (resource: object): string | undefined => etags.get(resource),
    /** Returns the changing calls since `takeMade` was called last. They include refused calls, because some refused calls change something. */
    takeMade: (): readonly MadeCall[] => {
      const taken = made
      made = []
      return taken
    },
    /** True if this response was requested after the call with this request id had ended. */
    isSince: (requestId: string, answer: unknown): boolean =>
      typeof answer === 'object' &&
      answer !== null &&
      (asked.get(answer) ?? 0) > (answered.get(requestId) ?? Number.POSITIVE_INFINITY),
    /** Options for `useQuery`, with the endpoint and its input as the key of the query. */
    query: <C extends Contract, K extends keyof C & string>(contract: C, name: K, input: CallParts = {}) => ({
      queryKey: [contract[name]?.path, input] as const,
      queryFn: () => call(contract, name, input),
    }),
  }
}

export type ConsoleApi = ReturnType<typeof createConsoleApi>

/** Shared by all parts of the console. */
export interface ConsoleValue {
  readonly api: ConsoleApi
  readonly access: Access
  readonly site: string
  /** Addresses of the screens that the person can open. */
  readonly screens: ReadonlySet<string>
  /** Shows an element beside the screens. The element stays when the address changes, until it calls `leave`. */
  readonly stay: (show: (leave: () => void) => ReactNode) => void
}

export const ConsoleContext = createContext<ConsoleValue | undefined>(undefined)

/** The client, the person's permissions and screens, and the operator's name. */
export const useConsole = () => {
  const value = use(ConsoleContext)
  if (value === undefined) throw new Error('a part of the console outside of ConsoleContext')
  return value
}

/** Whether the person has an instance permission, and the roles with it. */
export const usePermission = (permission: InstancePermission) => {
  const { access } = useConsole()
  return {
    isAllowed: access.permissions.includes(permission),
    roles: access.roles.filter(({ permissions }) => permissions.includes(permission)).map(({ name }) => name),
  }
}
