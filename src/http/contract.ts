import { z } from 'zod'
import type { Permission } from '../access/permissions.ts'
import type { ResourceTag } from '../core/resource-tag.ts'
import type { ProofPurpose } from '../core/web.ts'
import type { CallParts, Send } from './client.ts'
import { jsonOf, sendCall, toApiError } from './client.ts'

/** A call for principals with this permission on any resource. The service checks the particular resource (`access/can.ts`). */
export interface PermittedAccess {
  readonly permission: Permission
  /**
   * The person needs a proof from within `sessions.freshAgeSeconds`, and by a second factor if they have one. `true`: API keys cannot
   * make the call. `person`: keys can, because nobody leaves a key at an unlocked screen.
   */
  readonly fresh?: true | 'person'
  /**
   * Only a session may make the call. No key and no machine may, whatever its permissions are. `person`: a command-line program that the
   * person has authorized may make it, too (`oidc/command-line`), because its proofs are those of the person's session.
   */
  readonly session?: true | 'person'
  /** Message of the error for principals without the permission. The error code follows from it. When absent: FORBIDDEN. */
  readonly denied?: string
}

/** Access to a call. `anonymous`: no principal is looked up, so the database is not read. `public`: a session is used if there is one. */
export type Access = 'anonymous' | 'public' | PermittedAccess

/** Names of the URL fields that `http/trusted-url.ts` checks (accounts specification, section 5). */
export type UrlField = 'callbackURL' | 'redirectTo' | 'errorCallbackURL' | 'newUserCallbackURL'

/** A response with JSON. If the contract says so, it may also be a redirect, accepted work (202) or a created object (201). */
export interface JsonResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  readonly redirects?: boolean
  readonly accepts?: boolean
  readonly creates?: boolean
}

/** The response of an endpoint. A schema by itself means JSON. */
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

/** Declares a call that returns JSON, or redirects to the URL that the caller has given. */
export const jsonOrRedirect = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, redirects: true }) as const

/** Declares a call that returns JSON, with 200 for completed and 202 for accepted work. */
export const jsonOrAccepted = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, accepts: true }) as const

/** Declares a call that answers 201 with the created object. */
export const jsonCreated = <S extends z.ZodType>(schema: S) => ({ kind: 'json', schema, creates: true }) as const

/** Declares a call that answers 204 without content. */
export const noContent = { kind: 'none' } as const

/** Declares a call that returns text. `mediaType` has no charset: `text/plain`. The handler returns a string. */
export const text = (mediaType: string) => ({ kind: 'text', mediaType }) as const

/**
 * Declares a call that returns a body of unknown length, such as an export. The handler returns its chunks or a `Download`, which may name one
 * of the other media types.
 */
export const stream = (mediaType: string, ...others: readonly string[]) => ({ kind: 'stream', mediaType, others }) as const

/** The media type of Server-Sent Events: the response continues whenever something happens. */
export const eventStreamType = 'text/event-stream'

/** Declares a call that returns a file of one of these media types, which browsers cache. The handler returns a `FileContent`. */
export const file = (...mediaTypes: readonly string[]) => ({ kind: 'file', mediaTypes }) as const

/** True for calls of administrators (of the instance or an organization) that record events. These calls accept `Gatehouse-Reason`. */
export const takesReason = (endpoint: Pick<Endpoint, 'method' | 'path' | 'response'>): boolean => {
  const response = responseOf(endpoint)
  const isExport = response.kind === 'stream' && response.mediaType !== eventStreamType
  return /^\/(admin|organization)\//.test(endpoint.path) && (endpoint.method !== 'GET' || isExport)
}

/** The declared response, with defaults filled in. */
export const responseOf = ({ response }: Pick<Endpoint, 'response'>): Exclude<ResponseSpec, z.ZodType> =>
  'kind' in response ? response : { kind: 'json', schema: response }

/** Result of a handler: answers 302 with `url`, which has passed `http/trusted-url.ts` or is gatehouse's own. */
export class Redirect {
  readonly url: string
  constructor(url: string) {
    this.url = url
  }
}

/** Result of a handler: answers 202 with `body`. */
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
  /** The media type, if it is not the one of the contract. */
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
  /** Differs for every other content. It becomes the `ETag`. */
  readonly tag: string
  /** True if the content at this address never changes. */
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

/** What a typed client returns for a call: JSON or text. */
type ClientResult<R, As> = R extends z.ZodType
  ? JsonAs<R, As>
  : R extends JsonResponse<infer S>
    ? JsonAs<S, As>
    : R extends { readonly kind: 'redirect' }
      ? never
      : R extends { readonly kind: 'none' }
        ? undefined
        : string

/** An endpoint as data. From it the router, the validation, types, the OpenAPI document, typed clients and tests are made. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path at the root; `:name` stands for one segment. It is also served under `/api/auth`. */
  readonly path: `/${string}`
  readonly summary: string
  /** Further text for the API document. */
  readonly description?: string
  /** Bodies in wire form. A test checks them against their schemas. */
  readonly example?: { readonly body?: unknown; readonly response?: unknown }
  /** The group in the API document. `contract` sets it. */
  readonly tag?: string
  readonly access: Access
  readonly body?: z.ZodType
  readonly query?: z.ZodObject
  readonly params?: z.ZodObject
  readonly response: ResponseSpec
  /** Error codes of this endpoint, besides those of all endpoints. */
  readonly errors: readonly string[]
  /** Set if the response is one resource with its `ETag`. */
  readonly etag?: ResourceTag
  /**
   * Set if the call changes or deletes this resource and accepts `If-Match`. The handler passes `ifMatch` to its service, which calls it
   * in the transaction of the change (`core/etag.ts`). Without the header the change applies to any state.
   */
  readonly ifMatch?: ResourceTag
  /**
   * `json` (default); `form`: only `application/x-www-form-urlencoded`; `upload`: the bytes of a file; `raw`: the bytes of a program that
   * signs them, without a check of the Origin.
   */
  readonly encoding?: 'json' | 'form' | 'upload' | 'raw'
  /** True for forms that other sites post. The Origin is not checked, so another check has to bind the request to the browser. */
  readonly crossSite?: boolean
  /**
   * True for a response with a secret, such as the id of an invitation. It is never compressed: the length of a compressed response would
   * show similarities between the secret and text that an attacker has put beside it (BREACH).
   */
  readonly holdsSecrets?: true
  /**
   * `strict`: calls for sign-in, sign-up, passwords, mails and second factors (product decision: 3 in 10 s for each address). `file`:
   * files of pages. `none`: health checks.
   */
  readonly limit?: 'strict' | 'file' | 'none'
  /** The purpose of the proof of work that the call needs if `limits.proofOfWork` is on. */
  readonly proofOfWork?: ProofPurpose
  readonly urls?: readonly UrlField[]
  /**
   * A form of gatehouse's pages that works without script. Only its own origin may post it, the handler redirects, and a refusal is the
   * page with the errors in it. The form is posted to the address of its page.
   */
  readonly pageForm?: boolean
  /** The call counts for the limit of this path. Another call at that path has the same effect. */
  readonly countedAs?: string
  /** If its body has this field, the call also counts for the limit of this path. */
  readonly countedWith?: { readonly field: string; readonly path: string }
  /** True for a call that can start a session. Its Origin is checked even without a cookie. */
  readonly startsSession?: boolean
  /** True for the session check: its principal may come from the cookie cache instead of the database, and it clears the cookie of an ended session. */
  readonly cookieCache?: boolean
  /** True for a call that programs repeat in the background. It does not extend the session. */
  readonly isBackground?: boolean
  /** True for a GET that changes, records or starts something. A HEAD, which scanners of links send, is answered without doing so. */
  readonly changes?: boolean
  /** True for a call that only gatehouse's pages make. Scripts of trusted origins cannot use it. */
  readonly ownPages?: boolean
  /** True for a call that scripts of any origin may make without a session. For programs that are not registered. */
  readonly anyOrigin?: boolean
  /** True for a call that the operator's own sign-in and consent pages may use, too. */
  readonly configuredPages?: boolean
  /** True for a call that the public API document leaves out (calls of hosted pages). */
  readonly hidden?: boolean
}

/** The properties that the configuration adds to a schema. Undefined if it adds none. */
export type ConfiguredSchemas = (schema: z.core.$ZodType) => z.ZodObject | undefined

export type Contract = Readonly<Record<string, Endpoint>>

/** Declares the endpoints of one feature. `tag` is their group in the API document. */
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

/** The typed client of a contract. `wire`: results stay in wire form, with times as text. */
export type Api<C extends Contract, As extends 'domain' | 'wire' = 'domain'> = {
  readonly [K in keyof C]: Record<string, never> extends CallInput<C[K]>
    ? (input?: CallInput<C[K]>) => Promise<ClientResult<C[K]['response'], As>>
    : (input: CallInput<C[K]>) => Promise<ClientResult<C[K]['response'], As>>
}

/** The typed client of pages. It has no schemas, so results stay in wire form. */
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

/** Builds the typed client of a contract from any function like `fetch`. Throws `ApiError`. */
export const createApi = <C extends Contract>(endpoints: C, send: Send): Api<C> =>
  Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, (input: CallParts = {}) => call(endpoint, send, input)]),
  ) as Api<C>
