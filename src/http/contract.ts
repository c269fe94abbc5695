import { z } from 'zod'
import type { Permission } from '../access/permissions.ts'
import type { ResourceTag } from '../core/resource-tag.ts'
import type { ProofPurpose } from '../core/web.ts'
import type { CallParts, Send } from './client.ts'
import { jsonOf, sendCall, toApiError } from './client.ts'

/** A call for principals that have the permission. Coarse: the service asks again for the resource (`access/can.ts`). */
export interface PermittedAccess {
  readonly permission: Permission
  /**
   * The person must have proven themselves within `sessions.freshAgeSeconds`, by a second factor where they have one. `true`: no key makes
   * the call; `person`: keys do, since nobody left them open.
   */
  readonly fresh?: true | 'person'
  /**
   * Only a session may make the call: no key and no machine makes it, whatever its permissions. `person`: a command line may, too, that the person let in
   * (`oidc/command-line`), since its proofs are those of their session.
   */
  readonly session?: true | 'person'
  /** Message of the error for principals that may not, whose code it names; FORBIDDEN without it. */
  readonly denied?: string
}

/** Who may call. `anonymous`: no principal is looked up (no database). `public`: a session is used when there is one. */
export type Access = 'anonymous' | 'public' | PermittedAccess

/** Names of the URL fields that `http/trusted-url.ts` decides about (accounts specification, section 5). */
export type UrlField = 'callbackURL' | 'redirectTo' | 'errorCallbackURL' | 'newUserCallbackURL'

/** JSON; a call may redirect instead, have its work accepted (202), or create something (201), where the contract says so. */
export interface JsonResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  readonly redirects?: boolean
  readonly accepts?: boolean
  readonly creates?: boolean
}

/** The response of an endpoint: a schema alone means JSON. */
export type ResponseSpec =
  | z.ZodType
  | JsonResponse
  | { readonly kind: 'redirect' }
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly mediaType: string }
  | { readonly kind: 'stream'; readonly mediaType: string; readonly others?: readonly string[] }
  | { readonly kind: 'file'; readonly mediaTypes: readonly string[] }

/** Declares a call that only redirects: a person's browser follows it. */
export const redirect = { kind: 'redirect' } as const

/** Declares a call that returns JSON or, where the caller named a URL, redirects to it. */
export const jsonOrRedirect = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, redirects: true }) as const

/** Declares a call that returns JSON with 200 when the work is done, 202 when it is accepted and done later. */
export const jsonOrAccepted = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, accepts: true }) as const

/** Declares a call that answers 201 with the created object. */
export const jsonCreated = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, creates: true }) as const

/** Declares a call that answers 204: nothing is left to say. */
export const noContent = { kind: 'none' } as const

/** Declares a call that returns text; `mediaType` without charset, such as `text/plain`. The handler returns a string. */
export const text = (mediaType: string) => ({ kind: 'text', mediaType }) as const

/**
 * Declares a call that returns a body of unknown length, such as an export. The handler returns its chunks or a `Download`, which may name one
 * of the other media types.
 */
export const stream = (mediaType: string, ...others: readonly string[]) => ({ kind: 'stream', mediaType, others }) as const

/** Server-Sent Events: the response goes on while something happens. */
export const eventStreamType = 'text/event-stream'

/** Declares a call that returns a file which browsers keep, of one of these media types. The handler returns a `FileContent`. */
export const file = (...mediaTypes: readonly string[]) => ({ kind: 'file', mediaTypes }) as const

/** True for the calls of administrators of the instance or of an organization that events record: they take `Gatehouse-Reason`. */
export const takesReason = (endpoint: Pick<Endpoint, 'method' | 'path' | 'response'>): boolean => {
  const response = responseOf(endpoint)
  const isExport = response.kind === 'stream' && response.mediaType !== eventStreamType
  return /^\/(admin|organization)\//.test(endpoint.path) && (endpoint.method !== 'GET' || isExport)
}

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

/** Returned by a handler: a file that browsers keep. */
export class FileContent {
  readonly mediaType: string
  readonly bytes: Buffer
  /** Names the content: another one wherever a byte differs. Becomes the `ETag`. */
  readonly tag: string
  /** The address never gets another content. */
  readonly isImmutable: boolean
  /** Pages of other origins, such as applications and web mail, may show it. */
  readonly isShared: boolean
  constructor({ mediaType, bytes, tag, isImmutable, isShared }: FileContent) {
    this.mediaType = mediaType
    this.bytes = bytes
    this.tag = tag
    this.isImmutable = isImmutable
    this.isShared = isShared
  }
}

/** The return value of a handler for a declared response. */
export type ResultOf<R> = R extends z.ZodType
  ? z.output<R>
  : R extends JsonResponse<infer S>
    ?
        | z.output<S>
        | (R extends { readonly redirects: true } ? Redirect : never)
        | (R extends { readonly accepts: true } ? Accepted<z.output<S>> : never)
    : R extends { readonly kind: 'redirect' }
      ? Redirect
      : R extends { readonly kind: 'none' }
        ? undefined
        : R extends { readonly kind: 'text' }
          ? string
          : R extends { readonly kind: 'stream' }
            ? Download | AsyncIterable<string | Uint8Array>
            : R extends { readonly kind: 'file' }
              ? FileContent
              : never

type JsonAs<S extends z.ZodType, As> = As extends 'wire' ? z.input<S> : z.output<S>

/** The result of a call for a typed client: the JSON, or the text. */
type ClientResult<R, As> = R extends z.ZodType
  ? JsonAs<R, As>
  : R extends JsonResponse<infer S>
    ? JsonAs<S, As>
    : R extends { readonly kind: 'redirect' }
      ? never
      : R extends { readonly kind: 'none' }
        ? undefined
        : string

/** An endpoint is data: from it come router, validation, types, OpenAPI, the typed client and the tests that list all endpoints. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path at the root; `:name` is one segment. Served under `/api/auth` as well. */
  readonly path: `/${string}`
  readonly summary: string
  /** Details beyond the summary, in Markdown of the API document. Given by `documented` (handlers.ts), like `example`. */
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
   * transaction of the change (`core/etag.ts`). Without the header the change applies to any state.
   */
  readonly ifMatch?: ResourceTag
  /**
   * `json` (default), `form` (`application/x-www-form-urlencoded` alone), `upload` (the exact bytes of a file) or `raw` (the exact bytes, of a
   * program that signs them: the Origin is not asked).
   */
  readonly encoding?: 'json' | 'form' | 'upload' | 'raw'
  /** True when other sites are meant to post here: the Origin is not asked, something in the request must bind it to the browser. */
  readonly crossSite?: boolean
  /**
   * The response holds what opens something by itself, such as the id of an invitation: it is never compressed, because its length would say how much of
   * it is like what somebody else put beside it (BREACH).
   */
  readonly holdsSecrets?: true
  /** `strict`: sign-in, sign-up, password, mail and second-factor calls (product decision: 3 per 10 s and address). `file`: files of pages. `none`: health checks. */
  readonly limit?: 'strict' | 'file' | 'none'
  /** The call wants a proof of work of this kind, where `limits.proofOfWork` asks for it. */
  readonly proofOfWork?: ProofPurpose
  readonly urls?: readonly UrlField[]
  /**
   * The form of one of our own pages, which works without its script: only our own origin may post it, a refusal is the page with the errors in
   * place, and the handler redirects. It has the address of its page.
   */
  readonly pageForm?: boolean
  /** Counts for the limit of this path, together with the call that does the same. */
  readonly countedAs?: string
  /** With this field in its body the call counts for the limit of this path, too. */
  readonly countedWith?: { readonly field: string; readonly path: string }
  /** True when the call can begin a session: its Origin is checked also without a cookie. */
  readonly startsSession?: boolean
  /** True when the caller may come from the cookie cache instead of the database: for reads that change and reveal nothing else. */
  readonly cookieCache?: boolean
  /** True when programs repeat the call by themselves: the call does not extend the session. */
  readonly isBackground?: boolean
  /** True for a GET that changes, records or begins something: HEAD, which scanners of links send, is answered without it. */
  readonly changes?: boolean
  /** True when only our own pages may call it: scripts of trusted origins are not let in. */
  readonly ownPages?: boolean
  /** True when scripts of any origin may call it, without a session of the browser: for programs without a registration. */
  readonly anyOrigin?: boolean
  /** True when sign-in and consent pages of the operator's own may call it, too. */
  readonly configuredPages?: boolean
  /** Not part of the public API document (calls of the hosted pages). */
  readonly hidden?: boolean
}

/** The properties that the configuration adds to the object of a schema; undefined for a schema without such. */
export type ConfiguredSchemas = (schema: z.core.$ZodType) => z.ZodObject | undefined

export type Contract = Readonly<Record<string, Endpoint>>

/** Declares the endpoints of one feature; `tag` groups them in the API document. */
export const contract = <const C extends Contract>(tag: string, endpoints: C): C => {
  const tagged: Contract = Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, { tag, ...endpoint }]))
  return tagged as C
}

type InputOf<S> = S extends z.ZodType ? z.input<S> : undefined
type Part<Name extends string, S> = S extends z.ZodType
  ? Record<string, never> extends z.input<S>
    ? { readonly [K in Name]?: InputOf<S> }
    : { readonly [K in Name]: InputOf<S> }
  : unknown

/** The input of the typed client for one endpoint. */
export type CallInput<E extends Endpoint> = (E['encoding'] extends 'upload' ? { readonly body: Blob } : Part<'body', E['body']>) &
  Part<'query', E['query']> &
  Part<'params', E['params']> &
  (E['ifMatch'] extends ResourceTag ? { readonly ifMatch?: string | undefined } : unknown)

/** The typed client of one contract. `wire`: results as they are sent, a point in time as its text. */
export type Api<C extends Contract, As extends 'domain' | 'wire' = 'domain'> = {
  readonly [K in keyof C]: Record<string, never> extends CallInput<C[K]>
    ? (input?: CallInput<C[K]>) => Promise<ClientResult<C[K]['response'], As>>
    : (input: CallInput<C[K]>) => Promise<ClientResult<C[K]['response'], As>>
}

/** The typed client that the pages have: without the schemas, results stay as they are on the wire. */
export type WireApi<C extends Contract> = Api<C, 'wire'>

const call = async (endpoint: Endpoint, send: Send, input: CallParts): Promise<unknown> => {
  const declared = responseOf(endpoint)
  const answer = await sendCall(endpoint, send, input)
  if (declared.kind === 'none') return undefined
  if (declared.kind === 'text' || declared.kind === 'stream' || declared.kind === 'file') return answer.text
  const json = jsonOf(answer)
  if (declared.kind === 'json' && json !== undefined) return z.decode(declared.schema, json)
  throw toApiError(answer)
}

/** Builds the typed client of a contract over any `fetch`-like function. Throws `ApiError`. */
export const createApi = <C extends Contract>(endpoints: C, send: Send): Api<C> =>
  Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, (input: CallParts = {}) => call(endpoint, send, input)]),
  ) as Api<C>
