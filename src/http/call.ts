import type { Principal } from '../access/principal.ts'
import type { Clock } from '../core/clock.ts'
import { coreErrors } from '../core/errors.ts'
import { parseIfMatch } from '../core/etag.ts'
import type { Random } from '../core/random.ts'
import { parseReason } from '../core/reason.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { ProofPurpose } from '../core/web.ts'
import { createAccessCheck } from './access.ts'
import { type BodyLimits, createByteBudget, longestUpload, readBody } from './body.ts'
import { Redirect, takesReason } from './contract.ts'
import { createCookies, type SignedCookie } from './cookies.ts'
import type { Route } from './handlers.ts'
import {
  type Authenticate,
  type AuthenticateKey,
  apiKeyOf,
  type Bearer,
  bearerOf,
  boundTokenOf,
  createIdentify,
} from './identify.ts'
import { checkUrls, parseBody, parseQuery, readQuery, urlFields } from './input.ts'
import { checkOrigin, checkReadOrigin, isAdministrative, limitAddress } from './origin.ts'
import { type Counted, type RateLimits, waitSeconds } from './rate-limit.ts'
import { type HttpRequest, type HttpResponse, sendEmpty, sendResult } from './response.ts'
import type { SessionCache } from './session-cache.ts'
import type { TrustedUrls } from './trusted-url.ts'

/** What the server knows about a request while it handles the request. */
export interface Exchange {
  readonly context: RequestContext
  /** The path as the client sent it. Libraries change the URL of the request object. */
  readonly fullPath: string
  /** The path without the prefix `/api/auth`. */
  readonly path: string
  /** The query without `?`. */
  readonly search: string
  /** Id of the user who makes the request. Null until the principal is known, and for other principals. */
  userId: string | null
  /** The fields of a form, after the form was read. */
  posted?: unknown
  /** If the path has endpoints but none for the method of the request: the methods of these endpoints. */
  methods: readonly string[]
  /** What metrics call the path: the endpoint's path with names of parameters instead of their values, or a kind of path, such as `page`. */
  route: string
}

export interface CallDeps {
  readonly config: { readonly sessions: { readonly freshAgeSeconds: number } }
  readonly clock: Clock
  readonly random: Random
  readonly trustedUrls: TrustedUrls
  /** Knows the origins whose pages may make calls of administrators. */
  readonly adminUrls: Pick<TrustedUrls, 'isTrustedOrigin'>
  readonly sessionCookie: SignedCookie
  readonly deviceCookie: SignedCookie
  readonly pendingCookie: SignedCookie
  /** Undefined if sessions are not cached in cookies. */
  readonly sessionCache: SessionCache | undefined
  /** Knows the origin of gatehouse's own pages. */
  readonly ownUrls: Pick<TrustedUrls, 'isTrustedOrigin'>
  /** Undefined if the configuration disables rate limits. */
  readonly rateLimits: RateLimits | undefined
  /** Returns a function that checks the proof of work in the header. Undefined if the call needs none. Throws if the header contains no proof. */
  readonly demandProof: (purpose: ProofPurpose, header: string | undefined) => (() => Promise<void>) | undefined
  readonly authenticate: Authenticate
  /** Undefined in an instance without API keys. */
  readonly authenticateKey: AuthenticateKey | undefined
  /** The kinds of Bearer tokens that are not session tokens. */
  readonly bearers: readonly Bearer[]
  /** Sends a page that makes the browser navigate to `url`. False if the pages are not built. */
  readonly leave: (req: HttpRequest, res: HttpResponse, search: string, url: string) => boolean
}

/**
 * True for a URL that may lead to another origin. The browser must not be redirected there in answer to a form: the content policy of the
 * form's page would forbid it.
 */
const leavesPages = (url: string): boolean => !url.startsWith('/') || url.startsWith('/interaction/')

const hasField = (body: unknown, name: string) => typeof body === 'object' && body !== null && Object.hasOwn(body, name)

/** Makes the function that counts a request for the rate limits. The function throws if the client has to wait. */
export const createLimitCheck =
  (rateLimits: RateLimits | undefined) =>
  async (counted: Counted, { address }: RequestContext): Promise<void> => {
    const wait = rateLimits === undefined ? 0 : await waitSeconds(rateLimits, counted, limitAddress(address))
    if (wait > 0) throw coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: wait })
  }

/** Handles a call, from the matched endpoint to the response. The steps stand in their order, from top to bottom. */
export const createCall = (deps: CallDeps) => {
  const { trustedUrls } = deps
  const identify = createIdentify(deps)
  const checkAccess = createAccessCheck(deps)
  const checkRateLimit = createLimitCheck(deps.rateLimits)
  const uploads: BodyLimits = { maxBytes: longestUpload, budget: createByteBudget(8 * longestUpload) }
  const cookieOptions = { ...deps, cacheName: deps.sessionCache?.name }

  return async (req: HttpRequest, res: HttpResponse, params: unknown, route: Route, exchange: Exchange): Promise<void> => {
    const { endpoint } = route
    const { search } = exchange
    const cookies = createCookies(req, res, cookieOptions)
    const hasKey = apiKeyOf(req.headers) !== undefined
    const proof = req.headers['gatehouse-proof-of-work']
    // A call without a proof of work is refused before it is counted, because it costs nothing. The client repeats the call with a proof.
    const redeemProof = endpoint.proofOfWork && deps.demandProof(endpoint.proofOfWork, Array.isArray(proof) ? proof[0] : proof)
    await checkRateLimit(endpoint, exchange.context)
    await redeemProof?.()
    const reason = takesReason(endpoint) ? parseReason(req.headers['gatehouse-reason']) : undefined
    const context: RequestContext = {
      ...exchange.context,
      ...(hasKey ? {} : { deviceId: cookies.deviceId }),
      ...(reason === undefined ? {} : { reason }),
    }
    const isRead = endpoint.method === 'GET'
    const isHead = req.method === 'HEAD'
    // Programs that scan mails open links with HEAD. Such a request must not use up a link that can be used once.
    if (isHead && endpoint.changes === true && typeof endpoint.access === 'string') return sendEmpty(res)
    const checkedParams = parseQuery(endpoint.params, params)
    await route.beforeBody?.(context, checkedParams, req.headers)
    const bodyLimits = route.bodyLimits ?? (endpoint.encoding === 'upload' ? uploads : {})
    // A browser does not send a Bearer token by itself, so a request that only its token identifies cannot come from another site.
    // Cookies that come with it are ignored.
    const isByToken =
      hasKey ||
      boundTokenOf(req.headers) !== undefined ||
      (bearerOf(req.headers) !== undefined && deps.sessionCookie.decode(cookies.get(deps.sessionCookie.name)) === undefined)
    const isTokenAlone = isByToken && endpoint.access !== 'anonymous' && endpoint.startsSession !== true
    const callers = isAdministrative(endpoint) ? deps.adminUrls : endpoint.pageForm === true ? deps.ownUrls : trustedUrls
    const checkCaller = () => {
      if (!isRead && endpoint.encoding !== 'raw' && endpoint.crossSite !== true && !isTokenAlone)
        checkOrigin(req, callers, endpoint.startsSession === true || endpoint.pageForm === true)
      if (isRead && isAdministrative(endpoint) && !isByToken) checkReadOrigin(req, callers)
      if (!isRead && !hasKey) cookies.clearCache()
      return search === '' ? {} : readQuery(search, endpoint.query)
    }
    const findPrincipal = async (rawQuery: ReturnType<typeof checkCaller>): Promise<Principal> => {
      const principal: Principal =
        endpoint.access === 'anonymous'
          ? { kind: 'anonymous', ...context }
          : await identify(
              req,
              context,
              cookies,
              isHead ? { ...endpoint, isBackground: true } : endpoint,
              rawQuery,
              exchange.fullPath,
              (headers) => {
                for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
              },
            )
      if ('user' in principal) exchange.userId = principal.user.id
      checkAccess(endpoint.access, principal)
      return principal
    }
    // The caller is identified before the body is read. Otherwise anybody could send long bodies and so use up the memory.
    const isKnownFirst = bodyLimits.budget !== undefined && typeof endpoint.access !== 'string'
    const queryBefore = isKnownFirst ? checkCaller() : undefined
    const known = queryBefore && (await findPrincipal(queryBefore))
    const rawBody = isRead ? undefined : await readBody(req, endpoint.encoding ?? 'json', bodyLimits)
    if (endpoint.pageForm === true) exchange.posted = rawBody
    if (endpoint.countedWith !== undefined && hasField(rawBody, endpoint.countedWith.field))
      await checkRateLimit({ ...endpoint, countedAs: endpoint.countedWith.path }, exchange.context)
    const rawQuery = queryBefore ?? checkCaller()
    if (!isRead && (endpoint.encoding ?? 'json') === 'json') {
      // URL fields are checked before all others, even if the endpoint does not use them (wire behaviour, section 6).
      checkUrls(urlFields, trustedUrls, rawBody)
      checkUrls(['callbackURL'], trustedUrls, rawQuery)
    }
    // The session may have ended while the body arrived, so it is looked up again. A caller with a token is not looked up again, because
    // a DPoP proof is accepted only once.
    const principal = known !== undefined && isByToken ? known : await findPrincipal(rawQuery)
    if (isHead && endpoint.changes === true) return sendEmpty(res)
    const query = parseQuery(endpoint.query, rawQuery)
    const body = endpoint.encoding === 'raw' || endpoint.encoding === 'upload' ? rawBody : parseBody(endpoint.body, rawBody)
    checkUrls(endpoint.urls ?? [], trustedUrls, query)
    checkUrls(endpoint.urls ?? [], trustedUrls, body)
    const ifMatch = endpoint.ifMatch && parseIfMatch(endpoint.ifMatch, req.headers['if-match'])
    const result = await route.handle(principal, { body, query, params: checkedParams, headers: req.headers, cookies, ifMatch })
    const isLeaving = endpoint.pageForm === true && result instanceof Redirect && leavesPages(result.url)
    if (isLeaving && deps.leave(req, res, search, result.url)) return
    return sendResult(req, res, endpoint, result)
  }
}
