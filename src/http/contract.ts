import { z } from 'zod'
import type { Permission } from '../access/permissions.ts'
import type { ResourceTag } from '../core/resource-tag.ts'
import type { ProofPurpose } from '../core/web.ts'
import type { CallParts, Send } from './client.ts'
import { jsonOf, sendCall, toApiError } from './client.ts'

/**
 * Requires a permission. The call is allowed for a principal that has it for any resource. Then the service checks the particular
 * resource (`access/can.ts`).
 */
export interface PermittedAccess {
  readonly permission: Permission
  /**
   * The person must have proved their identity within the last `sessions.freshAgeSeconds` (with a second factor if they have one).
   * `true`: API keys cannot make the call at all. `person`: API keys can make it, because nobody leaves an API key at an unlocked screen.
   */
  readonly fresh?: true | 'person'
  /**
   * The call can be made only with a session. API keys and machines cannot make it, whatever permissions they have. `person`: a
   * command-line program that a person has authorized can make it, too (`oidc/command-line`), because the person proved their identity
   * for that program in a session.
   */
  readonly session?: true | 'person'
  /** The error message for a principal without the permission. The error code is derived from it. When absent: FORBIDDEN. */
  readonly denied?: string
}

/**
 * Who may make a call. `anonymous`: everybody. No principal is looked up, so the database is not read. `public`: everybody. If the
 * request has a session, it is used.
 */
export type Access = 'anonymous' | 'public' | PermittedAccess

/** Names of the fields whose value is a URL that `http/trusted-url.ts` checks (accounts specification, section 5). */
export type UrlField = 'callbackURL' | 'redirectTo' | 'errorCallbackURL' | 'newUserCallbackURL'

/** An answer with JSON. If its fields say so, the answer can also be a redirect, 202 for accepted work, or 201 for a created object. */
export interface JsonResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  readonly redirects?: boolean
  readonly accepts?: boolean
  readonly creates?: boolean
}

/** What an endpoint answers. A schema alone means JSON. */
export type ResponseSpec =
  | z.ZodType
  | JsonResponse
  | { readonly kind: 'redirect' }
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly mediaType: string }
  | { readonly kind: 'stream'; readonly mediaType: string; readonly others?: readonly string[] }
  | { readonly kind: 'file'; readonly mediaTypes: readonly string[] }

/** Declares a call that always redirects the browser. */
export const redirect = { kind: 'redirect' } as const

/** Declares a call that returns JSON, or redirects to a URL that the caller has sent. */
export const jsonOrRedirect = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, redirects: true }) as const

/** Declares a call that returns JSON. The status is 200 if the work is done, and 202 if it was only accepted. */
export const jsonOrAccepted = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, accepts: true }) as const

/** Declares a call that answers 201 with the created object. */
export const jsonCreated = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, creates: true }) as const

/** Declares a call that answers 204 without content. */
export const noContent = { kind: 'none' } as const

/** Declares a call that returns text. `mediaType` is written without charset, such as `text/plain`. The handler returns a string. */
export const text = (mediaType: string) => ({ kind: 'text', mediaType }) as const

/**
 * Declares a call that returns a body of unknown length, such as an export. The handler returns the chunks of the body, or a `Download`.
 * A `Download` may name another of these media types.
 */
export const stream = (mediaType: string, ...others: readonly string[]) => ({ kind: 'stream', mediaType, others }) as const

/** The media type of Server-Sent Events. Such an answer does not end: it continues whenever something happens. */
export const eventStreamType = 'text/event-stream'

/** Declares a call that returns a file that browsers may cache. The file has one of these media types. The handler returns a `FileContent`. */
export const file = (...mediaTypes: readonly string[]) => ({ kind: 'file', mediaTypes }) as const

/**
 * True for calls of administrators, of the instance or of an organization, that record events. Such a call accepts the header
 * `Gatehouse-Reason`.
 */
export const takesReason = (endpoint: Pick<Endpoint, 'method' | 'path' | 'response'>): boolean => {
  const response = responseOf(endpoint)
  const isExport = response.kind === 'stream' && response.mediaType !== eventStreamType
  return /^\/(admin|organization)\//.test(endpoint.path) && (endpoint.method !== 'GET' || isExport)
}

/** The declared answer, with defaults for what the contract leaves out. */
export const responseOf = ({ response }: Pick<Endpoint, 'response'>): Exclude<ResponseSpec, z.ZodType> =>
  'kind' in response ? response : { kind: 'json', schema: response }

/** A handler returns this to answer 302 with `url`. The URL was checked by `http/trusted-url.ts`, or is gatehouse's own. */
export class Redirect {
  readonly url: string
  constructor(url: string) {
    this.url = url
  }
}

/** A handler returns this to answer 202 with `body`. */
export class Accepted<T> {
  readonly body: T
  constructor(body: T) {
    this.body = body
  }
}

/** A handler returns this to send a stream that the browser saves as a file with this name. */
export class Download {
  readonly fileName: string
  readonly chunks: AsyncIterable<string | Uint8Array>
  /** The media type. Undefined if it is the one that the contract names. */
  readonly mediaType: string | undefined
  constructor(fileName: string, chunks: AsyncIterable<string | Uint8Array>, mediaType?: string) {
    this.fileName = fileName
    this.chunks = chunks
    this.mediaType = mediaType
  }
}

/** A handler returns this to send a file that browsers may cache. */
export class FileContent {
  readonly mediaType: string
  readonly bytes: Buffer
  /** A text that is different for each content. It becomes the `ETag`. */
  readonly tag: string
  /** True if the content at this URL never changes. */
  readonly isImmutable: boolean
  /** True if pages of other origins, such as applications and web mail, may show the file. */
  readonly isShared: boolean
  constructor({ mediaType, bytes, tag, isImmutable, isShared }: FileContent) {
    this.mediaType = mediaType
    this.bytes = bytes
    this.tag = tag
    this.isImmutable = isImmutable
    this.isShared = isShared
  }
}

/** What a handler may return for a declared answer. */
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

/** What a typed client returns for a declared answer: JSON or text. */
type ClientResult<R, As> = R extends z.ZodType
  ? JsonAs<R, As>
  : R extends JsonResponse<infer S>
    ? JsonAs<S, As>
    : R extends { readonly kind: 'redirect' }
      ? never
      : R extends { readonly kind: 'none' }
        ? undefined
        : string

/** An endpoint, described as data. Router, validation, types, OpenAPI document, typed clients and tests are made from this description. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path, in which `:name` stands for any one segment. The endpoint is also served at this path below `/api/auth`. */
  readonly path: `/${string}`
  readonly summary: string
  /** Further text about the call in the API document. */
  readonly description?: string
  /** Example bodies in wire form. A test checks them against the schemas. */
  readonly example?: { readonly body?: unknown; readonly response?: unknown }
  /** The group of the call in the API document. The function `contract` sets it. */
  readonly tag?: string
  readonly access: Access
  readonly body?: z.ZodType
  readonly query?: z.ZodObject
  readonly params?: z.ZodObject
  readonly response: ResponseSpec
  /** Error codes of this endpoint. Codes that every endpoint has are left out. */
  readonly errors: readonly string[]
  /** Set if the answer is one resource and carries its `ETag`. */
  readonly etag?: ResourceTag
  /**
   * Set if the call changes or deletes this resource and accepts the header `If-Match`. The handler passes its `ifMatch` to the service,
   * and the service calls it in the transaction of the change (`core/etag.ts`). Without the header, the change applies to any state of
   * the resource.
   */
  readonly ifMatch?: ResourceTag
  /**
   * How the body is encoded. `json` is the default. `form`: `application/x-www-form-urlencoded` only. `upload`: the bytes of a file.
   * `raw`: the bytes of a program that signs its requests; the header `Origin` is not checked.
   */
  readonly encoding?: 'json' | 'form' | 'upload' | 'raw'
  /**
   * True for a form that other sites post. The header `Origin` is not checked, so the handler has to check in another way that the
   * request belongs to this browser.
   */
  readonly crossSite?: boolean
  /**
   * True if the answer contains a secret, such as the id of an invitation. Such an answer is never compressed: from its compressed
   * length, an attacker whose text is in the same answer could guess the secret (BREACH).
   */
  readonly holdsSecrets?: true
  /**
   * The rate limit of the call. `strict`: for sign-in, sign-up, passwords, mails and second factors (product decision: 3 in 10 s for each
   * IP address). `file`: for files of the pages. `none`: for health checks.
   */
  readonly limit?: 'strict' | 'file' | 'none'
  /** Set if the call needs a proof of work while `limits.proofOfWork` is on: for what purpose. */
  readonly proofOfWork?: ProofPurpose
  readonly urls?: readonly UrlField[]
  /**
   * True for a form on gatehouse's pages that works without script. The form is posted to the URL of its page, and only from gatehouse's
   * own origin. The handler redirects. If the call is refused, the answer is the page with the errors in it.
   */
  readonly pageForm?: boolean
  /** The call counts for the rate limit of this path, because a call at that path has the same effect. */
  readonly countedAs?: string
  /** If the body contains this field, the call counts for the rate limit of this path, too. */
  readonly countedWith?: { readonly field: string; readonly path: string }
  /** True for a call that can start a session. Its header `Origin` is checked even if the request has no cookie. */
  readonly startsSession?: boolean
  /**
   * True for the call that checks the session. Its principal may come from the cookie cache, without a read of the database. If the
   * session has ended, the call clears the session cookie.
   */
  readonly cookieCache?: boolean
  /** True for a call that programs repeat in the background. Such a call does not extend the session. */
  readonly isBackground?: boolean
  /**
   * True for a GET that changes, records or starts something. Programs that scan links send HEAD instead; it is answered without any such
   * effect.
   */
  readonly changes?: boolean
  /** True for a call that only gatehouse's own pages may make. Scripts of other trusted origins cannot make it. */
  readonly ownPages?: boolean
  /** True for a call that scripts of any origin may make without a session. Such a call is for programs that are not registered. */
  readonly anyOrigin?: boolean
  /** True for a call that may also be made by the sign-in and consent pages that an operator hosts elsewhere. */
  readonly configuredPages?: boolean
  /** True for a call that the public API document leaves out, because only hosted pages make it. */
  readonly hidden?: boolean
}

/** Returns the properties that the configuration adds to a schema. Undefined if it adds none. */
export type ConfiguredSchemas = (schema: z.core.$ZodType) => z.ZodObject | undefined

export type Contract = Readonly<Record<string, Endpoint>>

/** Declares the endpoints of a feature. `tag` is the group of its calls in the API document. */
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

/** The input that a typed client takes for an endpoint. */
export type CallInput<E extends Endpoint> = (E['encoding'] extends 'upload' ? { readonly body: Blob } : Part<'body', E['body']>) &
  Part<'query', E['query']> &
  Part<'params', E['params']> &
  (E['ifMatch'] extends ResourceTag ? { readonly ifMatch?: string | undefined } : unknown)

/** A typed client for a contract. With `wire`, results stay as they are on the wire, so times are text. */
export type Api<C extends Contract, As extends 'domain' | 'wire' = 'domain'> = {
  readonly [K in keyof C]: Record<string, never> extends CallInput<C[K]>
    ? (input?: CallInput<C[K]>) => Promise<ClientResult<C[K]['response'], As>>
    : (input: CallInput<C[K]>) => Promise<ClientResult<C[K]['response'], As>>
}

/** The typed client that pages use. It has no schemas, so results stay as they are on the wire. */
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

/** Makes the typed client for a contract. `send` is any function that works like `fetch`. Calls throw `ApiError`. */
export const createApi = <C extends Contract>(endpoints: C, send: Send): Api<C> =>
  Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, (input: CallParts = {}) => call(endpoint, send, input)]),
  ) as Api<C>
