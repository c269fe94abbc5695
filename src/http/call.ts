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

/** A request while the policy handles it. */
export interface Exchange {
  readonly context: RequestContext
  /** Path of the original address. Libraries rewrite the address of the request. */
  readonly fullPath: string
  /** The path without the prefix `/api/auth`. */
  readonly path: string
  /** The query without `?`. */
  readonly search: string
  /** The user behind the request, after the principal is known. */
  userId: string | null
  /** Fields of a posted form, after they are read. */
  posted?: unknown
  /** Methods of the path, if the request's method is none of them. */
  methods: readonly string[]
  /** The label in metrics: the endpoint's path with the names of its parameters, or a kind of address. */
  route: string
}

export interface CallDeps {
  readonly config: { readonly sessions: { readonly freshAgeSeconds: number } }
  readonly clock: Clock
  readonly random: Random
  readonly trustedUrls: TrustedUrls
  /** The origins from which administrators may call. */
  readonly adminUrls: Pick<TrustedUrls, 'isTrustedOrigin'>
  readonly sessionCookie: SignedCookie
  readonly deviceCookie: SignedCookie
  readonly pendingCookie: SignedCookie
  /** Undefined if sessions have no cookie cache. */
  readonly sessionCache: SessionCache | undefined
  /** The origin of gatehouse's pages. */
  readonly ownUrls: Pick<TrustedUrls, 'isTrustedOrigin'>
  /** Undefined if limits are off. */
  readonly rateLimits: RateLimits | undefined
  /** The check of a call's proof of work, which is still to be made. Undefined if the call needs none. */
  readonly demandProof: (purpose: ProofPurpose, header: string | undefined) => (() => Promise<void>) | undefined
  readonly authenticate: Authenticate
  /** Undefined in an instance without API keys. */
  readonly authenticateKey: AuthenticateKey | undefined
  /** Kinds of Bearer tokens besides session tokens. */
  readonly bearers: readonly Bearer[]
  /** Sends a page that leads the browser to an address. False if the pages are not built. */
  readonly leave: (req: HttpRequest, res: HttpResponse, search: string, url: string) => boolean
}

/** True for an address that may lead to another origin. The content policy of a page also applies when its form is redirected. */
const leavesPages = (url: string): boolean => !url.startsWith('/') || url.startsWith('/interaction/')

const hasField = (body: unknown, name: string) => typeof body === 'object' && body !== null && Object.hasOwn(body, name)

/** Counts a request. Throws if the client has to wait. */
export const createLimitCheck =
  (rateLimits: RateLimits | undefined) =>
  async (counted: Counted, { address }: RequestContext): Promise<void> => {
    const wait = rateLimits === undefined ? 0 : await waitSeconds(rateLimits, counted, limitAddress(address))
    if (wait > 0) throw coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: wait })
  }

/** The policy of a call, top to bottom: from the matched route to the response. */
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
    // A call without a proof is not counted and costs nothing. The caller repeats it with a proof.
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
    // Mail scanners open links with HEAD. The link stays unused for the person who reads the mail.
    if (isHead && endpoint.changes === true && typeof endpoint.access === 'string') return sendEmpty(res)
    const checkedParams = parseQuery(endpoint.params, params)
    await route.beforeBody?.(context, checkedParams, req.headers)
    const bodyLimits = route.bodyLimits ?? (endpoint.encoding === 'upload' ? uploads : {})
    // A browser never sends a Bearer token by itself. If the token alone identifies the caller, cookies beside it do not make the request
    // cross-site.
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
    // The caller is identified before the body is read. Otherwise an unknown client could take all memory for long bodies, and keep it.
    const isKnownFirst = bodyLimits.budget !== undefined && typeof endpoint.access !== 'string'
    const queryBefore = isKnownFirst ? checkCaller() : undefined
    const known = queryBefore && (await findPrincipal(queryBefore))
    const rawBody = isRead ? undefined : await readBody(req, endpoint.encoding ?? 'json', bodyLimits)
    if (endpoint.pageForm === true) exchange.posted = rawBody
    if (endpoint.countedWith !== undefined && hasField(rawBody, endpoint.countedWith.field))
      await checkRateLimit({ ...endpoint, countedAs: endpoint.countedWith.path }, exchange.context)
    const rawQuery = queryBefore ?? checkCaller()
    if (!isRead && (endpoint.encoding ?? 'json') === 'json') {
      // URL fields are checked first, even if the endpoint does not use them (wire behaviour, section 6).
      checkUrls(urlFields, trustedUrls, rawBody)
      checkUrls(['callbackURL'], trustedUrls, rawQuery)
    }
    // A session may have ended while the body arrived, so it is looked up again. A token is not, because its proof is accepted only once.
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
