import { z } from 'zod'
import type { Permission } from '../access/permissions.ts'
import type { ResourceTag } from '../core/resource-tag.ts'
import type { ProofPurpose } from '../core/web.ts'
import type { CallParts, Send } from './client.ts'
import { jsonOf, sendCall, toApiError } from './client.ts'

/** A call for principals with the permission, on any resource: the service checks the particular one (`access/can.ts`). */
export interface PermittedAccess {
  readonly permission: Permission
  /**
   * The person needs a proof within `sessions.freshAgeSeconds`, by a second factor if they have one. `true`: keys cannot make the call;
   * `person`: they can, since nobody leaves them at an unlocked screen.
   */
  readonly fresh?: true | 'person'
  /**
   * Only a session may make the call: no key and no machine makes it, whatever its permissions. `person`: a command line may, too, that the person let in
   * (`oidc/command-line`), since its proofs are those of their session.
   */
  readonly session?: true | 'person'
  /** Message of the error for principals without permission, from which its code follows; absent: FORBIDDEN. */
  readonly denied?: string
}

/** Access to a call. `anonymous`: no principal is looked up (no database). `public`: a session is used if there is one. */
export type Access = 'anonymous' | 'public' | PermittedAccess

/** Names of the URL fields that `http/trusted-url.ts` checks (accounts specification, section 5). */
export type UrlField = 'callbackURL' | 'redirectTo' | 'errorCallbackURL' | 'newUserCallbackURL'

/** JSON; or a redirect, accepted work (202) or a created object (201), if the contract says so. */
export interface JsonResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  readonly redirects?: boolean
  readonly accepts?: boolean
  readonly creates?: boolean
}

/** The response of an endpoint; a schema alone means JSON. */
export type ResponseSpec =
  | z.ZodType
  | JsonResponse
  | { readonly kind: 'redirect' }
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly mediaType: string }
  | { readonly kind: 'stream'; readonly mediaType: string; readonly others?: readonly string[] }
  | { readonly kind: 'file'; readonly mediaTypes: readonly string[] }

/** Declares a call that always redirects a person's browser. */
export const redirect = { kind: 'redirect' } as const

/** Declares a call that returns JSON, or redirects to the caller's URL. */
export const jsonOrRedirect = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, redirects: true }) as const

/** Declares a call that returns JSON with 200 for completed work, and 202 for accepted work. */
export const jsonOrAccepted = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, accepts: true }) as const

/** Declares a call that answers 201 with the created object. */
export const jsonCreated = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, creates: true }) as const

/** Declares a call that answers 204 without content. */
export const noContent = { kind: 'none' } as const

/** Declares a call that returns text; `mediaType` without charset, such as `text/plain`. The handler returns a string. */
export const text = (mediaType: string) => ({ kind: 'text', mediaType }) as const

/**
 * Declares a call that returns a body of unknown length, such as an export. The handler returns its chunks or a `Download`, which may name one
 * of the other media types.
 */
export const stream = (mediaType: string, ...others: readonly string[]) => ({ kind: 'stream', mediaType, others }) as const

/** Server-Sent Events: the response continues as things happen. */
export const eventStreamType = 'text/event-stream'

/** Declares a call that returns a file which browsers keep, of one of these media types. The handler returns a `FileContent`. */
export const file = (...mediaTypes: readonly string[]) => ({ kind: 'file', mediaTypes }) as const

/** True for calls of administrators of the instance or an organization that record events: they accept `Gatehouse-Reason`. */
export const takesReason = (endpoint: Pick<Endpoint, 'method' | 'path' | 'response'>): boolean => {
  const response = responseOf(endpoint)
  const isExport = response.kind === 'stream' && response.mediaType !== eventStreamType
  return /^\/(admin|organization)\//.test(endpoint.path) && (endpoint.method !== 'GET' || isExport)
}

/** The declared response with its defaults. */
export const responseOf = ({ response }: Pick<Endpoint, 'response'>): Exclude<ResponseSpec, z.ZodType> =>
  'kind' in response ? response : { kind: 'json', schema: response }

/** Result of a handler: 302 to `url`, which has passed `http/trusted-url.ts` or is gatehouse's own. */
export class Redirect {
  readonly url: string
  constructor(url: string) {
    this.url = url
  }
}

/** Result of a handler: `body` with 202. */
export class Accepted<T> {
  readonly body: T
  constructor(body: T) {
    this.body = body
  }
}

/** Result of a handler: a stream that the browser saves as a file of this name. */
export class Download {
  readonly fileName: string
  readonly chunks: AsyncIterable<string | Uint8Array>
  /** Media type, if it differs from the contract. */
  readonly mediaType: string | undefined
  constructor(fileName: string, chunks: AsyncIterable<string | Uint8Array>, mediaType?: string) {
    this.fileName = fileName
    this.chunks = chunks
    this.mediaType = mediaType
  }
}

/** Result of a handler: a file that browsers cache. */
export class FileContent {
  readonly mediaType: string
  readonly bytes: Buffer
  /** Identifies the content: it differs for every other content. Becomes the `ETag`. */
  readonly tag: string
  /** The content of the address never changes. */
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

/** The result of a handler for a declared response. */
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

/** The result of a call for a typed client: JSON or text. */
type ClientResult<R, As> = R extends z.ZodType
  ? JsonAs<R, As>
  : R extends JsonResponse<infer S>
    ? JsonAs<S, As>
    : R extends { readonly kind: 'redirect' }
      ? never
      : R extends { readonly kind: 'none' }
        ? undefined
        : string

/** An endpoint as data: router, validation, types, OpenAPI, typed client and tests of all endpoints are made from it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path at the root; `:name` is one segment. Served under `/api/auth` as well. */
  readonly path: `/${string}`
  readonly summary: string
  /** In wire form; a test checks both against their schemas. */
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
  /** Error codes of this endpoint beside those of all endpoints. */
  readonly errors: readonly string[]
  /** The response is one resource with its `ETag`. */
  readonly etag?: ResourceTag
  /**
   * The call changes or deletes this resource and accepts `If-Match`: the handler passes `ifMatch` to its service, which calls it in the
   * transaction of the change (`core/etag.ts`). Without the header the change applies to any state.
   */
  readonly ifMatch?: ResourceTag
  /**
   * `json` (default), `form` (`application/x-www-form-urlencoded` only), `upload` (the bytes of a file) or `raw` (the bytes of a program
   * that signs them, without a check of the Origin).
   */
  readonly encoding?: 'json' | 'form' | 'upload' | 'raw'
  /** True for forms posted by other sites: the Origin is not checked, so the request has to be bound to the browser. */
  readonly crossSite?: boolean
  /**
   * True for a response with a secret, such as the id of an invitation: it is never compressed, because its length would reveal
   * similarities with text that an attacker placed beside it (BREACH).
   */
  readonly holdsSecrets?: true
  /** `strict`: sign-in, sign-up, password, mail and second-factor calls (product decision: 3 per 10 s and address). `file`: files of pages. `none`: health checks. */
  readonly limit?: 'strict' | 'file' | 'none'
  /** The kind of proof of work for the call, if `limits.proofOfWork` requires it. */
  readonly proofOfWork?: ProofPurpose
  readonly urls?: readonly UrlField[]
  /**
   * A form of gatehouse's pages that works without script: only its own origin may post it, a refusal is the page with the errors in
   * place, and the handler redirects. Its address is that of its page.
   */
  readonly pageForm?: boolean
  /** The call counts for the limit of this path, together with the call of the same effect. */
  readonly countedAs?: string
  /** With this field in its body the call counts for the limit of this path, too. */
  readonly countedWith?: { readonly field: string; readonly path: string }
  /** True for a call that can start a session: its Origin is checked even without a cookie. */
  readonly startsSession?: boolean
  /** True for the session check: its principal may come from the cookie cache instead of the database, and it clears the cookie of an ended session. */
  readonly cookieCache?: boolean
  /** True for a call that programs repeat: it does not extend the session. */
  readonly isBackground?: boolean
  /** True for a GET that changes, records or starts something: HEAD, sent by scanners of links, is answered without it. */
  readonly changes?: boolean
  /** True for a call of gatehouse's pages only: scripts of trusted origins cannot use it. */
  readonly ownPages?: boolean
  /** True for a call of any origin's scripts without a session: for programs without a registration. */
  readonly anyOrigin?: boolean
  /** True for a call that the operator's own sign-in and consent pages may use, too. */
  readonly configuredPages?: boolean
  /** True for calls outside of the public API document (those of hosted pages). */
  readonly hidden?: boolean
}

/** Properties that the configuration adds to a schema; undefined without any. */
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

/** The typed client of a contract. `wire`: results in wire form, with times as text. */
export type Api<C extends Contract, As extends 'domain' | 'wire' = 'domain'> = {
  readonly [K in keyof C]: Record<string, never> extends CallInput<C[K]>
    ? (input?: CallInput<C[K]>) => Promise<ClientResult<C[K]['response'], As>>
    : (input: CallInput<C[K]>) => Promise<ClientResult<C[K]['response'], As>>
}

/** The typed client of pages: without schemas, results stay in wire form. */
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
