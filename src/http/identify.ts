import type { Request } from 'express'
import type { Caller, Source, UserCaller } from '../core/caller.ts'
import type { Endpoint } from './contract.ts'
import type { SessionCookie } from './cookies.ts'
import type { Reply } from './handlers.ts'
import type { SessionCache } from './session-cache.ts'

/** The result of looking up a session token. */
export interface Authenticated {
  readonly caller: UserCaller
  /** Set when the session was extended: the cookie's new lifetime in seconds. */
  readonly renewedSeconds?: number
}

/** Looks a session token up. */
export type Authenticate = (
  token: string,
  source: Source,
  options: { readonly extend: boolean },
) => Promise<Authenticated | undefined>

interface Deps {
  readonly authenticate: Authenticate
  readonly sessionCookie: SessionCookie
  /** Undefined when sessions are not cached in a cookie. */
  readonly sessionCache: SessionCache | undefined
}

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i

/** Finds out who is calling: by the cookie cache where endpoint and caller allow it, else by cookie or Bearer token in the database. */
export const createIdentify = ({ authenticate, sessionCookie, sessionCache }: Deps) => {
  const writeCache = (reply: Reply, caller: UserCaller) => {
    const value = sessionCache?.encode(caller)
    if (sessionCache === undefined || value === undefined) reply.forgetCache()
    else reply.setCookie(sessionCache.name, value, { maxAge: sessionCache.seconds })
  }

  return async (
    req: Request,
    source: Source,
    reply: Reply,
    endpoint: Endpoint,
    query: Readonly<Record<string, string>>,
  ): Promise<Caller> => {
    const fromCookie = sessionCookie.decode(reply.cookie(sessionCookie.name))
    const isCached = endpoint.cookieCache === true && sessionCache !== undefined && fromCookie !== undefined
    if (isCached && query['disableCookieCache'] !== 'true') {
      const cached = sessionCache.decode(reply.cookie(sessionCache.name), fromCookie, source)
      if (cached !== undefined) return cached
    }
    const token = fromCookie ?? bearer.exec(req.headers.authorization ?? '')?.[1]
    const extend = query['disableRefresh'] !== 'true'
    const found = token === undefined ? undefined : await authenticate(token, source, { extend })
    if (found === undefined) {
      if (fromCookie !== undefined) reply.endSession()
      return { kind: 'anonymous', ...source }
    }
    if (found.renewedSeconds !== undefined && fromCookie !== undefined) reply.startSession(fromCookie, found.renewedSeconds)
    if (isCached) writeCache(reply, found.caller)
    return found.caller
  }
}
