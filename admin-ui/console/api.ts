import type { ReactNode } from 'react'
import { createContext, use } from 'react'
import type { InstancePermission } from '../../src/access/permissions.ts'
import type { CallParts, Target } from '../../src/http/client.ts'
import { ApiError, toApiError } from '../../src/http/client.ts'
import type { Contract, WireApi } from '../../src/http/contract.ts'
import type { roleContract } from '../../src/identity/roles/contract.ts'
import type { Answer } from '../shared/api.ts'
import { createHostedApi } from '../shared/api.ts'

/** What a change is given besides the parts of its call. */
export interface ChangeParts extends CallParts {
  /** The state that the change is based on: refused with 412 where there is another. */
  readonly ifMatch?: string | undefined
  /** Why, in the person's own words: events keep it. */
  readonly reason?: string | undefined
}

/** A call with which this page may have changed something. */
export interface MadeCall {
  readonly target: Target
  readonly input: CallParts
  /** Undefined where it was refused. */
  readonly answer: unknown
}

type AnyCall = (input: CallParts) => Promise<unknown>

/** What the server says about who uses the console. */
export type Access = Answer<WireApi<typeof roleContract>['readAccess']>

interface Reading {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Called with each piece as it comes. */
  readonly onText: (text: string) => void
}

/** Reads what arrives piece by piece, to its end. Throws `ApiError`. */
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

/** Reads what arrives as JSON Lines, each line as soon as it is whole. Throws `ApiError`. */
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

/** Fetches a file and has the browser save it, under the name that the server gives. Throws `ApiError`. */
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
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** The only module of the console that calls the server. Refused calls for want of a proof wait for it (`setRemedy`). */
export const createConsoleApi = () => {
  const hosted = createHostedApi()
  const etags = new WeakMap<object, string>()
  const asked = new WeakMap<object, number>()
  const answered = new Map<string, number>()
  let made: MadeCall[] = []
  let isQuiet = false
  /** Calls an endpoint of a contract. Throws `ApiError`. */
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
    /** Calls that `begin` makes at once are nobody's doing: they do not extend the session. */
    quietly: (begin: () => void): void => {
      isQuiet = true
      begin()
      isQuiet = false
    },
    readText,
    readLines,
    /** Saves a file of the server, after a proof where it needs one. Throws `ApiError`. */
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
    /** The state of a resource that `call` answered: what a change of it is based on. */
    etagOf: (resource: object): string | undefined => etags.get(resource),
    /** The changes since this was asked before, those that were refused included: some of them leave something behind. */
    takeMade: (): readonly MadeCall[] => {
      const taken = made
      made = []
      return taken
    },
    /** True where the answer was asked for when the change of this page with this request id was already made. */
    isSince: (requestId: string, answer: unknown): boolean =>
      typeof answer === 'object' &&
      answer !== null &&
      (asked.get(answer) ?? 0) > (answered.get(requestId) ?? Number.POSITIVE_INFINITY),
    /** For `useQuery`: the endpoint and its input are the key. */
    query: <C extends Contract, K extends keyof C & string>(contract: C, name: K, input: CallParts = {}) => ({
      queryKey: [contract[name]?.path, input] as const,
      queryFn: () => call(contract, name, input),
    }),
  }
}

export type ConsoleApi = ReturnType<typeof createConsoleApi>

/** What every part of the console knows. */
export interface ConsoleValue {
  readonly api: ConsoleApi
  readonly access: Access
  readonly site: string
  /** Addresses of the screens that the person may open. */
  readonly screens: ReadonlySet<string>
  /** Shows something beside the screens that stays there when the address changes, until it calls `leave`. */
  readonly stay: (show: (leave: () => void) => ReactNode) => void
}

export const ConsoleContext = createContext<ConsoleValue | undefined>(undefined)

/** The client, what the person may do and open, and the operator's name for this place. */
export const useConsole = () => {
  const value = use(ConsoleContext)
  if (value === undefined) throw new Error('a part of the console outside of ConsoleContext')
  return value
}

/** Whether the person has a permission of the instance, and which roles give it. */
export const usePermission = (permission: InstancePermission) => {
  const { access } = useConsole()
  return {
    isAllowed: access.permissions.includes(permission),
    roles: access.roles.filter(({ permissions }) => permissions.includes(permission)).map(({ name }) => name),
  }
}
