import type { ApiKeyPrincipal, Principal, UserPrincipal } from '../access/principal.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { Endpoint, PermittedAccess } from './contract.ts'
import type { Cookies, SignedCookie } from './cookies.ts'
import type { HttpRequest } from './response.ts'
import type { SessionCache } from './session-cache.ts'

/** What a session token leads to. */
export interface Authenticated {
  readonly principal: UserPrincipal
  /** The new life of the cookie in seconds. Set if the session was extended. */
  readonly renewedSeconds?: number
}

/** Finds the session of a token. */
export type Authenticate = (
  token: string,
  context: RequestContext,
  options: { readonly extend: boolean },
) => Promise<Authenticated | undefined>

/** Finds the principal of an API key. Throws the error of an invalid key. */
export type AuthenticateKey = (key: string, context: RequestContext) => Promise<ApiKeyPrincipal>

/** The proof that comes with a DPoP token (RFC 9449, section 7.1). */
export interface Proven {
  readonly proof: string | undefined
  readonly method: string
  /** The path of the call, without its query. */
  readonly path: string
}

/** A kind of Bearer token that looks like a session token. It is checked if no session has the token. */
export interface Bearer {
  /**
   * Headers for the answer to a call with a proof. Only the kind whose tokens may have a proof sets this function, and only this kind
   * gets such tokens.
   */
  readonly proofHeaders?: (proven: Proven, isRefused: boolean) => Readonly<Record<string, string>>
  /**
   * The principal of the token. Undefined if the token is of another kind. `access` is that of the endpoint, and undefined for a public
   * one. `proven` is undefined for a Bearer token.
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
  /** Undefined if sessions have no cookie cache. */
  readonly sessionCache: SessionCache | undefined
}

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i
interface Headers {
  readonly authorization?: string | undefined
}
/** The Bearer token of an `Authorization` header. */
export const bearerOf = ({ authorization }: Headers): string | undefined => bearer.exec(authorization ?? '')?.[1]

/** The DPoP token of an `Authorization` header. */
export const boundTokenOf = ({ authorization }: Headers): string | undefined =>
  /^DPoP +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1]

/** The API key of a request. If there is one, cookies are ignored, so that no browser adds a session to the request. */
export const apiKeyOf = (headers: Headers): string | undefined => {
  const token = bearerOf(headers)
  return token?.startsWith('gh_') === true ? token : undefined
}

/**
 * Finds the principal of a request. First its API key is used; then the cookie cache, if endpoint and caller allow it; then the database,
 * by cookie or Bearer token.
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
    // Cookies are ignored, as in a request with an API key.
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
      // In an answer to any other call, the cookie may have changed since the request was sent: a session that replaced this one stays.
      if (fromCookie !== undefined && endpoint.cookieCache === true) cookies.endSession()
      return sent === undefined ? { kind: 'anonymous', ...context } : byToken(sent)
    }
    if (found.renewedSeconds !== undefined && fromCookie !== undefined) cookies.startSession(fromCookie, found.renewedSeconds)
    if (isCached) writeCache(cookies, found.principal)
    return found.principal
  }
}
