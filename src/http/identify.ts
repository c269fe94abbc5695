import type { ApiKeyPrincipal, Principal, UserPrincipal } from '../access/principal.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { Endpoint, PermittedAccess } from './contract.ts'
import type { Cookies, SignedCookie } from './cookies.ts'
import type { HttpRequest } from './response.ts'
import type { SessionCache } from './session-cache.ts'

/** What is found by a session token: the principal of the session. */
export interface Authenticated {
  readonly principal: UserPrincipal
  /** Set if the session was extended: the new life of the session cookie, in seconds. */
  readonly renewedSeconds?: number
}

/** Finds the session that a session token belongs to. */
export type Authenticate = (
  token: string,
  context: RequestContext,
  options: { readonly extend: boolean },
) => Promise<Authenticated | undefined>

/** Finds the principal of an API key. Throws if the key is not valid. */
export type AuthenticateKey = (key: string, context: RequestContext) => Promise<ApiKeyPrincipal>

/** The DPoP proof that a client sends together with a DPoP token (RFC 9449, section 7.1). */
export interface Proven {
  readonly proof: string | undefined
  readonly method: string
  /** The path of the request, without the query. */
  readonly path: string
}

/** A kind of access token that is sent as a Bearer token, as session tokens are. It is tried if no session has the token. */
export interface Bearer {
  /**
   * Makes the headers for the answer to a request with a DPoP proof. Only one kind of token can have proofs. That kind sets this
   * function, and tokens with proofs are passed only to it.
   */
  readonly proofHeaders?: (proven: Proven, isRefused: boolean) => Readonly<Record<string, string>>
  /**
   * Finds the principal of a token. Undefined if the token is of another kind. `access` says what the endpoint requires, and is undefined
   * for a public endpoint. `proven` is undefined for a Bearer token.
   */
  readonly authenticate: (
    token: string,
    context: RequestContext,
    access: PermittedAccess | undefined,
    proven?: Proven,
  ) => Promise<Principal | undefined>
}

interface Deps {
  /** Undefined in an instance without API keys. */
  readonly authenticateKey: AuthenticateKey | undefined
  readonly bearers: readonly Bearer[]
  readonly authenticate: Authenticate
  readonly sessionCookie: SignedCookie
  /** Undefined if sessions are not cached in cookies. */
  readonly sessionCache: SessionCache | undefined
}

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i
interface Headers {
  readonly authorization?: string | undefined
}
/** The Bearer token in the header `Authorization`. Undefined if there is none. */
export const bearerOf = ({ authorization }: Headers): string | undefined => bearer.exec(authorization ?? '')?.[1]

/** The DPoP token in the header `Authorization`. Undefined if there is none. */
export const boundTokenOf = ({ authorization }: Headers): string | undefined =>
  /^DPoP +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1]

/**
 * The API key of a request. Undefined if there is none. If a request has an API key, its cookies are ignored, so that a browser cannot
 * add a session to it.
 */
export const apiKeyOf = (headers: Headers): string | undefined => {
  const token = bearerOf(headers)
  return token?.startsWith('gh_') === true ? token : undefined
}

/**
 * Makes the function that finds the principal of a request. If the request has an API key, the key decides. Otherwise the cookie cache is
 * used, if endpoint and caller allow that. Otherwise the database is read, with the session cookie or the Bearer token.
 */
export const createIdentify = ({ authenticate, authenticateKey, bearers, sessionCookie, sessionCache }: Deps) => {
  const writeCache = (cookies: Cookies, principal: UserPrincipal) => {
    const value = sessionCache?.encode(principal)
    if (sessionCache === undefined || value === undefined) cookies.clearCache()
    else cookies.set(sessionCache.name, value, { maxAge: sessionCache.seconds })
  }

  return async (
    req: HttpRequest,
    context: RequestContext,
    cookies: Cookies,
    endpoint: Endpoint,
    query: Readonly<Record<string, string>>,
    path: string,
    setHeaders: (headers: Readonly<Record<string, string>>) => void,
  ): Promise<Principal> => {
    const access = typeof endpoint.access === 'string' ? undefined : endpoint.access
    const byToken = async (token: string, proven?: Proven): Promise<Principal> => {
      for (const other of bearers) {
        if (proven !== undefined && other.proofHeaders === undefined) continue
        const principal = await other.authenticate(token, context, access, proven)
        if (proven !== undefined) setHeaders(other.proofHeaders?.(proven, principal === undefined) ?? {})
        if (principal !== undefined) return principal
      }
      return { kind: 'anonymous', ...context }
    }
    // The cookies of a request with a DPoP token are ignored, as those of a request with an API key.
    const bound = boundTokenOf(req.headers)
    if (bound !== undefined) {
      const { dpop: proof } = req.headers
      return byToken(bound, { proof: typeof proof === 'string' ? proof : undefined, method: req.method, path })
    }
    const key = apiKeyOf(req.headers)
    if (key !== undefined)
      return authenticateKey === undefined ? { kind: 'anonymous', ...context } : authenticateKey(key, context)
    const fromCookie = sessionCookie.decode(cookies.get(sessionCookie.name))
    const isCached = endpoint.cookieCache === true && sessionCache !== undefined && fromCookie !== undefined
    if (isCached && query['disableCookieCache'] !== 'true') {
      const cached = sessionCache.decode(cookies.get(sessionCache.name), fromCookie, context)
      if (cached !== undefined) return cached
    }
    const sent = fromCookie === undefined ? bearerOf(req.headers) : undefined
    const token = fromCookie ?? sent
    const extend = endpoint.isBackground !== true && query['disableRefresh'] !== 'true'
    const found = token === undefined ? undefined : await authenticate(token, context, { extend })
    if (found === undefined) {
      // Only the session check clears the cookie of an ended session. When any other answer arrives, the browser may already have the
      // cookie of a newer session, and that one must stay.
      if (fromCookie !== undefined && endpoint.cookieCache === true) cookies.endSession()
      return sent === undefined ? { kind: 'anonymous', ...context } : byToken(sent)
    }
    if (found.renewedSeconds !== undefined && fromCookie !== undefined) cookies.startSession(fromCookie, found.renewedSeconds)
    if (isCached) writeCache(cookies, found.principal)
    return found.principal
  }
}
