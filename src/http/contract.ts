import { z } from 'zod'
import type { Issue } from '../core/errors.ts'

/**
 * Who may call. Coarse: the service decides on the resource. `anonymous`: nobody is looked up (no database). `public`: a session is
 * used when there is one. `fresh-session`: signed in within `sessions.freshAgeSeconds`.
 */
export type Access = 'anonymous' | 'public' | 'session' | 'fresh-session' | 'admin'

/** Names of the URL fields that `http/trusted-url.ts` decides about (accounts specification, section 5). */
export type UrlField = 'callbackURL' | 'redirectTo' | 'errorCallbackURL' | 'newUserCallbackURL'

/** An endpoint is data: from it come router, validation, types, OpenAPI, the typed client and the tests that list all endpoints. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path at the root; `:name` is one segment. Served under `/api/auth` as well. */
  readonly path: `/${string}`
  readonly summary: string
  readonly access: Access
  readonly body?: z.ZodType
  readonly query?: z.ZodObject
  readonly params?: z.ZodObject
  readonly response: z.ZodType
  /** Codes this endpoint can answer besides those every endpoint can. */
  readonly errors: readonly string[]
  /** `json` (default), `form` (`application/x-www-form-urlencoded` alone) or `raw` (the exact bytes). */
  readonly encoding?: 'json' | 'form' | 'raw'
  /** True when other sites are meant to post here: the Origin is not asked, something in the request must bind it to the browser. */
  readonly crossSite?: boolean
  /** `strict`: sign-in, sign-up, password, mail and second-factor calls (product decision: 3 per 10 s and address). `none`: health checks. */
  readonly limit?: 'strict' | 'none'
  /** True when the answer may be 202 as well as 200: the handler says which. */
  readonly accepts?: boolean
  readonly urls?: readonly UrlField[]
  /** True when the call can begin a session: its Origin is checked also without a cookie. */
  readonly startsSession?: boolean
  /** True when the caller may come from the cookie cache instead of the database: for reads that change and reveal nothing else. */
  readonly cookieCache?: boolean
  /** True when only our own pages may call it: scripts of trusted origins are not let in. */
  readonly ownPages?: boolean
  /** True when sign-in and consent pages of the operator's own may call it, too. */
  readonly configuredPages?: boolean
  /** Not part of the public API document (calls of the hosted pages). */
  readonly hidden?: boolean
}

export type Contract = Readonly<Record<string, Endpoint>>

/** Declares the endpoints of one feature. */
export const contract = <const C extends Contract>(endpoints: C): C => endpoints

type InputOf<S> = S extends z.ZodType ? z.input<S> : undefined
type Part<Name extends string, S> = S extends z.ZodType
  ? Record<string, never> extends z.input<S>
    ? { readonly [K in Name]?: InputOf<S> }
    : { readonly [K in Name]: InputOf<S> }
  : unknown

/** What a caller of the typed client passes for one endpoint. */
export type CallInput<E extends Endpoint> = Part<'body', E['body']> & Part<'query', E['query']> & Part<'params', E['params']>

/** The typed client of one contract. */
export type Api<C extends Contract> = {
  readonly [K in keyof C]: Record<string, never> extends CallInput<C[K]>
    ? (input?: CallInput<C[K]>) => Promise<z.output<C[K]['response']>>
    : (input: CallInput<C[K]>) => Promise<z.output<C[K]['response']>>
}

/** A refusal as the client sees it. `code` is one of the catalogue, or `NETWORK` when no answer came. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly issues: readonly Issue[]

  constructor(status: number, code: string, message: string, issues: readonly Issue[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.issues = issues
  }
}

/** Sends one request; the browser's `fetch` or a test's. */
export type Send = (path: string, init: { method: string; headers: Record<string, string>; body?: string }) => Promise<Response>

const fillPath = (path: string, params: Readonly<Record<string, unknown>>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))

const queryOf = (query: Readonly<Record<string, unknown>> | undefined) => {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(key, String(value))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

interface LooseInput {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  readonly params?: Readonly<Record<string, unknown>>
}

const call = async (endpoint: Endpoint, send: Send, input: LooseInput): Promise<unknown> => {
  const path = fillPath(endpoint.path, input.params ?? {}) + queryOf(input.query)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (endpoint.method !== 'GET') headers['content-type'] = 'application/json'
  const init = { method: endpoint.method, headers }
  const answer = await send(path, endpoint.method === 'GET' ? init : { ...init, body: JSON.stringify(input.body ?? {}) }).catch(
    () => {
      throw new ApiError(0, 'NETWORK', 'No answer from the server')
    },
  )
  const text = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  const json: unknown = type.includes('json') && text !== '' ? JSON.parse(text) : undefined
  if (answer.ok && json !== undefined) return z.decode(endpoint.response, json as never)
  const error = (json ?? {}) as { code?: string; message?: string; issues?: Issue[]; error?: string; error_description?: string }
  throw new ApiError(
    answer.status,
    error.code ?? error.error ?? 'UNKNOWN',
    error.message ?? error.error_description ?? answer.statusText,
    error.issues,
  )
}

/** Builds the typed client of a contract over any `fetch`-like function. Throws `ApiError`. */
export const createApi = <C extends Contract>(endpoints: C, send: Send): Api<C> =>
  Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, (input: LooseInput = {}) => call(endpoint, send, input)]),
  ) as Api<C>
