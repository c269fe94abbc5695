import { z } from 'zod'
import type { Permission } from '../access/permissions.ts'
import type { Issue } from '../core/errors.ts'
import type { ResourceTag } from '../core/resource-tag.ts'
import { withQuery } from '../core/web.ts'

/** A call for principals that have the permission. Coarse: the service asks again for the resource (`access/can.ts`). */
export interface PermittedAccess {
  readonly permission: Permission
  /** True when the session must have started within `sessions.freshAgeSeconds`. */
  readonly fresh?: boolean
  /** True when only a session will do: no key makes this call, whatever its permissions. So it is with `fresh`, for keys. */
  readonly session?: boolean
  /** Message of the error for principals that may not, whose code it names; FORBIDDEN without it. */
  readonly denied?: string
}

/** Who may call. `anonymous`: no principal is looked up (no database). `public`: a session is used when there is one. */
export type Access = 'anonymous' | 'public' | PermittedAccess

/** Names of the URL fields that `http/trusted-url.ts` decides about (accounts specification, section 5). */
export type UrlField = 'callbackURL' | 'redirectTo' | 'errorCallbackURL' | 'newUserCallbackURL'

/** JSON; a call may redirect instead, or have its work accepted (202), where the contract says so. */
export interface JsonResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  readonly redirects?: boolean
  readonly accepts?: boolean
}

/** What an endpoint answers with: a schema alone is JSON. */
export type ResponseSpec =
  | z.ZodType
  | JsonResponse
  | { readonly kind: 'redirect' }
  | { readonly kind: 'text'; readonly mediaType: string }
  | { readonly kind: 'stream'; readonly mediaType: string; readonly others?: readonly string[] }

/** Declares a call that only redirects: a person's browser follows it. */
export const redirect = { kind: 'redirect' } as const

/** Declares a call that returns JSON or, where the caller named a URL, redirects to it. */
export const jsonOrRedirect = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, redirects: true }) as const

/** Declares a call that returns JSON with 200 when the work is done, 202 when it is accepted and done later. */
export const jsonOrAccepted = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, accepts: true }) as const

/** Declares a call that returns text; `mediaType` without charset, such as `text/plain`. The handler returns a string. */
export const text = (mediaType: string) => ({ kind: 'text', mediaType }) as const

/**
 * Declares a call that returns a body of unknown length, such as an export. The handler returns its chunks or a `Download`, which may name one
 * of the other media types.
 */
export const stream = (mediaType: string, ...others: readonly string[]) => ({ kind: 'stream', mediaType, others }) as const

/** The declared response with its defaults. */
export const responseOf = ({ response }: Pick<Endpoint, 'response'>): Exclude<ResponseSpec, z.ZodType> =>
  'kind' in response ? response : { kind: 'json', schema: response }

/** Returned by a handler: 302 to `url`, which must have passed `http/trusted-url.ts` or be our own. */
export class Redirect {
  readonly url: string
  constructor(url: string) {
    this.url = url
  }
}

/** Returned by a handler: `body` with 202. */
export class Accepted<T> {
  readonly body: T
  constructor(body: T) {
    this.body = body
  }
}

/** Returned by a handler: a stream that the browser saves as a file of this name. */
export class Download {
  readonly fileName: string
  readonly chunks: AsyncIterable<string | Uint8Array>
  /** Where it is another one than the contract declares. */
  readonly mediaType: string | undefined
  constructor(fileName: string, chunks: AsyncIterable<string | Uint8Array>, mediaType?: string) {
    this.fileName = fileName
    this.chunks = chunks
    this.mediaType = mediaType
  }
}

/** What a handler returns for a declared response. */
export type ResultOf<R> = R extends z.ZodType
  ? z.output<R>
  : R extends JsonResponse<infer S>
    ?
        | z.output<S>
        | (R extends { readonly redirects: true } ? Redirect : never)
        | (R extends { readonly accepts: true } ? Accepted<z.output<S>> : never)
    : R extends { readonly kind: 'redirect' }
      ? Redirect
      : R extends { readonly kind: 'text' }
        ? string
        : R extends { readonly kind: 'stream' }
          ? Download | AsyncIterable<string | Uint8Array>
          : never

/** What the typed client gets: the parsed JSON, or the text. */
type ClientResult<R> = R extends z.ZodType
  ? z.output<R>
  : R extends JsonResponse<infer S>
    ? z.output<S>
    : R extends { readonly kind: 'redirect' }
      ? never
      : string

/** An endpoint is data: from it come router, validation, types, OpenAPI, the typed client and the tests that list all endpoints. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path at the root; `:name` is one segment. Served under `/api/auth` as well. */
  readonly path: `/${string}`
  readonly summary: string
  /** What the summary leaves out; Markdown of the API document. Given by `documented` (handlers.ts), like `example`. */
  readonly description?: string
  /** As it is on the wire; a test holds both against their schemas. */
  readonly example?: { readonly body?: unknown; readonly response?: unknown }
  /** Group in the API document, set by `contract`. */
  readonly tag?: string
  readonly access: Access
  readonly body?: z.ZodType
  readonly query?: z.ZodObject
  readonly params?: z.ZodObject
  readonly response: ResponseSpec
  /** Codes of the errors this endpoint can return besides those every endpoint can. */
  readonly errors: readonly string[]
  /** The response is one resource and carries its `ETag`. */
  readonly etag?: ResourceTag
  /**
   * The call changes or deletes this resource and honours `If-Match`: the handler passes `ifMatch` to its service, which calls it in the
   * transaction of the change (`core/etag.ts`). Without the header the change applies to whatever there is.
   */
  readonly ifMatch?: ResourceTag
  /** `json` (default), `form` (`application/x-www-form-urlencoded` alone) or `raw` (the exact bytes). */
  readonly encoding?: 'json' | 'form' | 'raw'
  /** True when other sites are meant to post here: the Origin is not asked, something in the request must bind it to the browser. */
  readonly crossSite?: boolean
  /** `strict`: sign-in, sign-up, password, mail and second-factor calls (product decision: 3 per 10 s and address). `none`: health checks. */
  readonly limit?: 'strict' | 'none'
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

/** Declares the endpoints of one feature; `tag` groups them in the API document. */
export const contract = <const C extends Contract>(tag: string, endpoints: C): C =>
  Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, { tag, ...endpoint }])) as unknown as C

type InputOf<S> = S extends z.ZodType ? z.input<S> : undefined
type Part<Name extends string, S> = S extends z.ZodType
  ? Record<string, never> extends z.input<S>
    ? { readonly [K in Name]?: InputOf<S> }
    : { readonly [K in Name]: InputOf<S> }
  : unknown

/** What a caller of the typed client passes for one endpoint. */
export type CallInput<E extends Endpoint> = Part<'body', E['body']> &
  Part<'query', E['query']> &
  Part<'params', E['params']> &
  (E['ifMatch'] extends ResourceTag ? { readonly ifMatch?: string | undefined } : unknown)

/** The typed client of one contract. */
export type Api<C extends Contract> = {
  readonly [K in keyof C]: Record<string, never> extends CallInput<C[K]>
    ? (input?: CallInput<C[K]>) => Promise<ClientResult<C[K]['response']>>
    : (input: CallInput<C[K]>) => Promise<ClientResult<C[K]['response']>>
}

/** An error as the client sees it. `code` is one of the catalogue, or `NETWORK` when no response came. */
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

const givenFields = (query: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))

interface LooseInput {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  readonly params?: Readonly<Record<string, unknown>>
}

const call = async (endpoint: Endpoint, send: Send, input: LooseInput): Promise<unknown> => {
  const path = withQuery(fillPath(endpoint.path, input.params ?? {}), givenFields(input.query ?? {}))
  const headers: Record<string, string> = { accept: 'application/json' }
  if (endpoint.method !== 'GET') headers['content-type'] = 'application/json'
  const init = { method: endpoint.method, headers }
  const response = await send(path, endpoint.method === 'GET' ? init : { ...init, body: JSON.stringify(input.body ?? {}) }).catch(
    () => {
      throw new ApiError(0, 'NETWORK', 'No answer from the server')
    },
  )
  const body = await response.text()
  const declared = responseOf(endpoint)
  if (response.ok && (declared.kind === 'text' || declared.kind === 'stream')) return body
  const type = response.headers.get('content-type') ?? ''
  const json: unknown = type.includes('json') && body !== '' ? JSON.parse(body) : undefined
  if (response.ok && declared.kind === 'json' && json !== undefined) return z.decode(declared.schema, json as never)
  const error = (json ?? {}) as { code?: string; message?: string; issues?: Issue[]; error?: string; error_description?: string }
  throw new ApiError(
    response.status,
    error.code ?? error.error ?? 'UNKNOWN',
    error.message ?? error.error_description ?? response.statusText,
    error.issues,
  )
}

/** Builds the typed client of a contract over any `fetch`-like function. Throws `ApiError`. */
export const createApi = <C extends Contract>(endpoints: C, send: Send): Api<C> =>
  Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, (input: LooseInput = {}) => call(endpoint, send, input)]),
  ) as Api<C>
