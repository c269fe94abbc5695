import { createServer as createHttpServer, type Server } from 'node:http'
import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import type { Caller, Source } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import type { Entropy } from '../core/entropy.ts'
import { AppError, coreErrors } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { SecurityLog } from '../core/security-log.ts'
import { sendError, sendJson } from './answer.ts'
import { readBody } from './body.ts'
import type { Endpoint } from './contract.ts'
import type { SessionCookie } from './cookies.ts'
import { createCors } from './cors.ts'
import { createDevice } from './device.ts'
import { createRouteTable } from './find-route.ts'
import { answered, Redirect, type Route } from './handlers.ts'
import { type Authenticate, createIdentify } from './identify.ts'
import { checkHost, parseBody, parseQuery, readQuery, urlFields, vetUrls } from './input.ts'
import { checkOrigin, createClientAddress, limitAddress } from './origin.ts'
import { type Counted, type RateLimits, waitSeconds } from './rate-limit.ts'
import { createReply, type ReplyOptions } from './reply.ts'
import { logAnswer } from './request-log.ts'
import { securityHeaders } from './security-headers.ts'
import type { SessionCache } from './session-cache.ts'
import { isGetOrHead, type StaticFiles, wantsHtml } from './static.ts'
import type { TrustedUrls } from './trusted-url.ts'

/** A foreign handler (the OIDC library) that answers some paths by itself, raw body untouched. */
export interface Mount {
  matches(method: string, path: string): boolean
  handle(req: Request, res: Response, source: Source): void | Promise<void>
}

export interface ServerDeps {
  readonly config: {
    readonly url: string
    readonly trustedProxies: readonly string[]
    readonly sessions: { readonly freshAgeSeconds: number }
    readonly http: {
      readonly strictHost: 'auto' | 'on' | 'off'
      readonly clientAddressHeader: string
      readonly requestSeconds: number
      readonly maxConnections: number
    }
  }
  readonly log: Log
  readonly security: SecurityLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly routes: readonly Route[]
  readonly mounts: readonly Mount[]
  readonly staticFiles: StaticFiles
  readonly trustedUrls: TrustedUrls
  /** Origins of the operator's own sign-in and consent pages. */
  readonly ownPageOrigins: readonly string[]
  readonly sessionCookie: SessionCookie
  readonly deviceCookie: SessionCookie
  /** Undefined when sessions are not cached in a cookie. */
  readonly sessionCache: SessionCache | undefined
  /** Undefined when limits are off. */
  readonly rateLimits: RateLimits | undefined
  readonly authenticate: Authenticate
  /** Names of cookies that end with the session. */
  readonly cookiesOfSession: readonly string[]
}

/** True when a person's browser follows a link to a call that redirects: from a mail, mostly. */
const isFollowed = (endpoint: Endpoint, req: Request) => endpoint.urls !== undefined && wantsHtml(req)

/** People are told in words what programs are told in JSON. */
const showRefusal = (res: Response, error: unknown): void => {
  if (!(error instanceof AppError) || res.headersSent) throw error
  const location = `/error?error=${error.code.toLowerCase()}`
  res.writeHead(302, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()
}

const requestIdPattern = /^[\w-]{1,64}$/

/** The HTTP policy, readable top to bottom. */
export const createServer = (deps: ServerDeps): Server => {
  const { config, log, security, clock, entropy, trustedUrls, sessionCookie, deviceCookie, rateLimits, staticFiles } = deps
  const { requestSeconds, maxConnections } = config.http
  const identify = createIdentify(deps)
  const headers = securityHeaders(sessionCookie.secure)
  const publicHost = new URL(config.url).host
  const protocol = config.url.slice(0, config.url.indexOf(':'))
  /** Compared as parsed: another case and the default port are the same host. */
  const isPublicHost = (host = '') =>
    host === publicHost || (URL.canParse(`${protocol}://${host}`) && new URL(`${protocol}://${host}`).host === publicHost)
  const strictHost = config.http.strictHost === 'on' || (config.http.strictHost === 'auto' && sessionCookie.secure)
  const clientAddress = createClientAddress(config.trustedProxies, config.http.clientAddressHeader)
  const table = createRouteTable(deps.routes)
  const cors = createCors(table, trustedUrls, deps.ownPageOrigins)

  const replyOptions: Omit<ReplyOptions, 'device'> = {
    sessionCookie,
    cookiesOfSession: deps.cookiesOfSession,
    cacheName: deps.sessionCache?.name,
  }

  const checkAccess = (endpoint: Endpoint, caller: Caller) => {
    if (endpoint.access === 'anonymous' || endpoint.access === 'public') return
    if (caller.kind !== 'user') throw coreErrors.refuse('UNAUTHORIZED')
    if (endpoint.access === 'admin' && caller.user.role !== 'admin') throw coreErrors.refuse('FORBIDDEN')
    const { freshAgeSeconds } = config.sessions
    if (
      endpoint.access === 'fresh-session' &&
      freshAgeSeconds > 0 &&
      clock.now().getTime() - caller.session.createdAt.getTime() > freshAgeSeconds * 1000
    )
      throw coreErrors.refuse('SESSION_IS_NOT_FRESH')
  }

  const admit = async (counted: Counted, { address }: Source) => {
    const wait = rateLimits === undefined ? 0 : await waitSeconds(rateLimits, counted, limitAddress(address))
    if (wait > 0) throw coreErrors.refuse('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: wait })
  }

  /** Who was kept out, and from what: a wrong input is none of it. */
  const noteRefusal = (res: Response, error: unknown, source: Source) => {
    if (!(error instanceof AppError) || ![401, 403, 421, 429].includes(error.status)) return
    security(source, 'request.refused', { userId: res.locals['userId'] ?? null, code: error.code })
  }

  const runRoute = async (route: Route, params: unknown, search: string, req: Request, res: Response, from: Source) => {
    const { endpoint } = route
    const device = createDevice(req, deviceCookie, entropy)
    const source: Source = { ...from, deviceId: device.id }
    await admit(endpoint, source)
    const isRead = endpoint.method === 'GET'
    const vettedParams = parseQuery(endpoint.params, params)
    await route.beforeBody?.(source, vettedParams, req.headers)
    const rawBody = isRead ? undefined : await readBody(req, endpoint.encoding ?? 'json', route.bodyLimits)
    if (!isRead && endpoint.encoding !== 'raw' && endpoint.crossSite !== true)
      checkOrigin(req, trustedUrls, endpoint.startsSession === true)
    const reply = createReply(req, res, { ...replyOptions, device })
    if (!isRead) reply.forgetCache()
    const rawQuery = search === '' ? {} : readQuery(search)
    if (!isRead && (endpoint.encoding ?? 'json') === 'json') {
      // Before anything else, whether the route uses them or not (wire behaviour, section 6).
      vetUrls(urlFields, trustedUrls, rawBody)
      vetUrls(['callbackURL'], trustedUrls, rawQuery)
    }
    const caller: Caller =
      endpoint.access === 'anonymous' ? { kind: 'anonymous', ...source } : await identify(req, source, reply, endpoint, rawQuery)
    if (caller.kind === 'user') res.locals['userId'] = caller.user.id
    checkAccess(endpoint, caller)
    const query = parseQuery(endpoint.query, rawQuery)
    const body = endpoint.encoding === 'raw' ? rawBody : parseBody(endpoint.body, rawBody)
    vetUrls(endpoint.urls ?? [], trustedUrls, query)
    vetUrls(endpoint.urls ?? [], trustedUrls, body)
    const result = await route.handle(caller, { body, query, params: vettedParams, reply })
    if (result === answered) return
    if (result instanceof Redirect) {
      res.writeHead(302, { Location: result.url, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()
      return
    }
    sendJson(res, res.statusCode, z.encode(endpoint.response, result as never))
  }

  const dispatch = async (req: Request, res: Response, source: Source) => {
    checkHost(req.rawHeaders)
    const at = req.url.indexOf('?')
    const fullPath = at < 0 ? req.url : req.url.slice(0, at)
    const search = at < 0 ? '' : req.url.slice(at + 1)
    const path = fullPath.startsWith('/api/auth/') ? fullPath.slice('/api/auth'.length) : fullPath
    const match = table.find(req.method, path)
    if (strictHost && !isPublicHost(req.headers.host) && path !== '/livez' && path !== '/readyz')
      throw coreErrors.refuse('MISDIRECTED_REQUEST', { message: `This server answers for ${publicHost} only` })
    const mount = deps.mounts.find((candidate) => candidate.matches(req.method, fullPath))
    if (mount !== undefined) return mount.handle(req, res, source)
    if (cors(req, res, path, match?.route)) return
    if (match === undefined) await admit(staticFiles.isFile(fullPath) ? 'file' : 'other', source)
    if (match !== undefined) {
      const work = runRoute(match.route, match.params, search, req, res, source)
      if (!isFollowed(match.route.endpoint, req)) return work
      return work.catch((error: unknown) => {
        noteRefusal(res, error, source)
        showRefusal(res, error)
      })
    }
    // Of the front page, and of a page that a client looks for below the API's prefix.
    const page = fullPath === '/' && wantsHtml(req) ? '/account' : path
    if (page !== fullPath && staticFiles.isPage(page) && isGetOrHead(req)) {
      res.writeHead(302, { Location: search === '' ? page : `${page}?${search}`, 'Content-Length': 0 }).end()
      return
    }
    if (staticFiles.serve(req, res, fullPath) || (wantsHtml(req) && staticFiles.notFound(req, res))) return
    const methods = table.methods(path)
    throw coreErrors.refuse(
      'NOT_FOUND',
      methods.length === 0 ? {} : { message: `Not found: this path answers ${methods.join(', ')}, not ${req.method}` },
    )
  }

  const handle = (req: Request, res: Response) => {
    const given = req.headers['x-request-id']
    const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : entropy.requestId()
    const started = performance.now()
    res.setHeader('X-Request-Id', requestId)
    for (const [name, value] of headers) res.setHeader(name, value)
    const organization = req.headers['gatehouse-organization']
    const source: Source = {
      address: clientAddress(req),
      userAgent: (req.headers['user-agent'] ?? '').slice(0, 512),
      acceptLanguage: req.headers['accept-language'] ?? '',
      requestId,
      // Whatever it says: falling back to another organization would be worse than to refuse.
      ...(typeof organization === 'string' && organization !== '' ? { organization: organization.slice(0, 256) } : {}),
    }
    if (log.isLevelEnabled('info')) res.once('close', () => logAnswer(log, req, res, requestId, performance.now() - started))
    dispatch(req, res, source).catch((error: unknown) => {
      if (!res.headersSent) noteRefusal(res, error, source)
      sendError(res, error, requestId, log)
    })
  }

  const app = express()
  app.disable('x-powered-by')
  app.use(handle)
  const server = createHttpServer(
    {
      maxHeaderSize: 16_384,
      // Of a request as a whole, whoever reads its body and whether anybody does.
      requestTimeout: requestSeconds * 1000,
      headersTimeout: Math.min(10, requestSeconds) * 1000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
    },
    app,
  )
  server.maxConnections = maxConnections
  return server
}
