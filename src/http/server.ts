import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { AppError, coreErrors } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { SecurityLog } from '../core/security-log.ts'
import { readTimeZone } from '../core/time-zone.ts'
import { withQuery } from '../core/web.ts'
import { readBody } from './body.ts'
import { type CallDeps, createCall, createLimitCheck, type Exchange } from './call.ts'
import { createConsoleAddresses } from './console-page.ts'
import type { Endpoint } from './contract.ts'
import { createCors } from './cors.ts'
import type { Route } from './handlers.ts'
import { bearerOf } from './identify.ts'
import { checkHost } from './input.ts'
import { createClientAddress } from './origin.ts'
import type { ProblemKind } from './painted.ts'
import {
  type HttpRequest,
  type HttpResponse,
  isAnswered,
  isEventStream,
  logResponse,
  refusalOf,
  sendRedirect,
  sendRefusal,
} from './response.ts'
import { createApiRouter, exactPaths, type PathCalls } from './router.ts'
import { securityHeaders } from './security-headers.ts'
import { acceptsHtml, isGetOrHead, isNavigation, type StaticFile, type StaticFiles, sendFile } from './static.ts'
import { createTrustedUrls } from './trusted-url.ts'

/** A handler that writes the responses of some paths itself and gets their bodies unread: that of the OIDC library. */
export interface Mount {
  matches(method: string, path: string): boolean
  /** The name of a path in metrics, without its variable parts. */
  routeOf(path: string): string
  handle(req: HttpRequest, res: HttpResponse, context: RequestContext): void | Promise<void>
}

export interface ServerDeps extends Omit<CallDeps, 'leave' | 'ownUrls'> {
  readonly config: CallDeps['config'] & {
    readonly url: string
    readonly trustedProxies: readonly string[]
    readonly http: {
      readonly strictHost: 'auto' | 'on' | 'off'
      readonly clientAddressHeader: string
      readonly requestSeconds: number
      readonly maxConnections: number
    }
  }
  readonly log: Log
  readonly security: SecurityLog
  readonly metrics: Metrics
  readonly routes: readonly Route[]
  readonly mounts: readonly Mount[]
  readonly staticFiles: StaticFiles
  /** The OpenAPI document. Undefined if `http.apiDocs` is off. */
  readonly apiDocument: (() => Promise<StaticFile>) | undefined
  /** Origins of the operator's own sign-in and consent pages. */
  readonly ownPageOrigins: readonly string[]
  /** Called for requests of trusted proxies whose header contains no client address. */
  readonly onUnreadableAddress?: (() => void) | undefined
  /** True during a migration of the database. Every request is then answered with that information. */
  readonly isInMaintenance?: (() => boolean) | undefined
  /** Called for denied calls, with the path of the endpoint. */
  readonly onDenied?: ((context: RequestContext, path: string, error: AppError) => void) | undefined
}

/** True when a person's browser follows a link to a call that redirects. Most such links are in mails. */
const isFollowedLink = (endpoint: Endpoint, { headers }: HttpRequest) =>
  endpoint.method === 'GET' && endpoint.urls !== undefined && acceptsHtml(headers)

const requestIdPattern = /^[\w-]{1,64}$/

/**
 * Hides a request target that contains a host or fragment from the routes. Express would find a path in it, but gatehouse serves no such
 * target.
 */
const hideForeignAddress = (req: Request): void => {
  if (/^\/[^#?]*(?:\?|$)/.test(req.url)) return
  req.originalUrl = req.url
  req.url = `/${encodeURIComponent(req.url)}`
}

const exchangeOf = (res: Response): Exchange => res.locals['exchange']

/** Finds the address of the client. */
const createAddressReader = ({ config, log, onUnreadableAddress }: ServerDeps) => {
  const { clientAddressHeader: header } = config.http
  let isReported = false
  return createClientAddress(config.trustedProxies, header, (hop) => {
    onUnreadableAddress?.()
    // Logged once, because every request through this proxy has the problem.
    if (!isReported) log.warn({ header, hop: hop.slice(0, 100) }, 'client address not understood: the proxy counts as the client')
    isReported = true
  })
}

/** Collects the data of a request that the policy needs, and logs its response. */
const createBegin = (deps: ServerDeps) => {
  const { log, random } = deps
  const clientAddress = createAddressReader(deps)
  const observe = deps.metrics.histogram({
    name: 'gatehouse_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response, by route and class of status.',
    labels: ['method', 'route', 'class'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
  })
  return (req: Request, res: Response): Exchange => {
    const given = req.headers['x-request-id']
    const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : random.requestId()
    const started = performance.now()
    res.setHeader('X-Request-Id', requestId)
    const organization = req.headers['gatehouse-organization']
    const timeZone = readTimeZone(req.headers['gatehouse-time-zone'])
    const context: RequestContext = {
      address: clientAddress(req),
      userAgent: (req.headers['user-agent'] ?? '').slice(0, 512),
      acceptLanguage: req.headers['accept-language'] ?? '',
      requestId,
      ...(timeZone === undefined ? {} : { timeZone }),
      // An invalid name is passed on, too: an error is better than another organization.
      ...(typeof organization === 'string' && organization !== '' ? { organization: organization.slice(0, 256) } : {}),
    }
    // Express and libraries change `url`.
    const { method, originalUrl: url } = req
    const at = url.indexOf('?')
    const fullPath = at < 0 ? url : url.slice(0, at)
    const path = fullPath.startsWith('/api/auth/') ? fullPath.slice('/api/auth'.length) : fullPath
    const exchange: Exchange = {
      context,
      fullPath,
      path,
      search: at < 0 ? '' : url.slice(at + 1),
      userId: null,
      methods: [],
      route: 'none',
    }
    res.once('close', () => {
      const ms = performance.now() - started
      const statusClass = res.writableFinished ? `${Math.floor(res.statusCode / 100)}xx` : 'aborted'
      if (!isEventStream(res)) observe({ method, route: exchange.route, class: statusClass }, ms / 1000)
      if (log.isLevelEnabled('info')) logResponse(log, { method, url }, res, requestId, ms)
    })
    return exchange
  }
}

/** Seconds after which clients should try again. A migration takes seconds, rarely minutes. */
const maintenanceSeconds = 30

/** Answers health checks during a migration, without the database: the process lives. */
const createMaintenanceCheck =
  ({ isInMaintenance = () => false }: ServerDeps): RequestHandler =>
  (_req, res, next) => {
    const { path } = exchangeOf(res)
    if (isInMaintenance() && path !== '/livez')
      throw coreErrors.error('SERVICE_UNAVAILABLE', { retryAfterSeconds: maintenanceSeconds })
    next()
  }

/** Refuses requests that name another host. */
const createHostCheck = ({ config, sessionCookie }: ServerDeps): RequestHandler => {
  const publicHost = new URL(config.url).host
  const protocol = config.url.slice(0, config.url.indexOf(':'))
  /** Hosts are compared after parsing, so that case and the default port do not matter. A host with other parts of an address is refused. */
  const isPublicHost = (host = '') =>
    host === publicHost ||
    (/^[\w.:[\]-]+$/.test(host) && URL.canParse(`${protocol}://${host}`) && new URL(`${protocol}://${host}`).host === publicHost)
  const strictHost = config.http.strictHost === 'on' || (config.http.strictHost === 'auto' && sessionCookie.secure)
  return (req, res, next) => {
    checkHost(req.rawHeaders)
    const { path } = exchangeOf(res)
    if (strictHost && !isPublicHost(req.headers.host) && path !== '/livez' && path !== '/readyz')
      throw coreErrors.error('MISDIRECTED_REQUEST', { message: `This server answers for ${publicHost} only` })
    next()
  }
}

/** Records denied calls with principal and endpoint. A call with wrong input is not denied. */
const recordDenial = (deps: ServerDeps, { context, userId, route }: Exchange, error: unknown) => {
  const { security } = deps
  if (!(error instanceof AppError) || ![401, 403, 421, 429].includes(error.status)) return
  security(context, 'request.refused', { userId, code: error.code })
  deps.onDenied?.(context, route, error)
}

const createMountHandler =
  (deps: ServerDeps): RequestHandler =>
  (req, res, next) => {
    const { fullPath, context } = exchangeOf(res)
    const mount = deps.mounts.find((candidate) => candidate.matches(req.method, fullPath))
    if (mount === undefined) return next()
    exchangeOf(res).route = mount.routeOf(fullPath)
    return mount.handle(req, res, context)
  }

/** Sends the page of a refused form. If the body was not read yet, it is read here, because the typed text is shown again. */
const createFormSender =
  ({ staticFiles }: ServerDeps) =>
  async (req: HttpRequest, res: HttpResponse, exchange: Exchange, error: AppError): Promise<boolean> => {
    const { code, status, issues = [], retryAfterSeconds } = error
    const posted = exchange.posted ?? (await readBody(req, 'form').catch(() => undefined))
    const fields = issues.map(({ path }) => path)
    return staticFiles.form(req, res, exchange.path, exchange.search, {
      code,
      status,
      fields,
      seconds: retryAfterSeconds,
      posted,
    })
  }

const createCallHandler = (deps: ServerDeps, cors: ReturnType<typeof createCors>, call: ReturnType<typeof createCall>) => {
  const sendForm = createFormSender(deps)
  return (route: Route): RequestHandler =>
    (req, res) => {
      const exchange = exchangeOf(res)
      exchange.route = route.endpoint.path
      cors.allow(req, res, route.endpoint)
      const work = call(req, res, req.params, route, exchange)
      // A browser gets a page, and a program gets JSON.
      if (route.endpoint.pageForm === true && acceptsHtml(req.headers))
        return work.catch(async (error: unknown) => {
          if (!(error instanceof AppError) || res.headersSent) throw error
          if (!(await sendForm(req, res, exchange, error))) throw error
          recordDenial(deps, exchange, error)
        })
      if (!isFollowedLink(route.endpoint, req)) return work
      return work.catch((error: unknown) => {
        // A browser that has to wait gets a page about that, at this address.
        if (!(error instanceof AppError) || res.headersSent || problemKinds.has(error.status)) throw error
        recordDenial(deps, exchange, error)
        sendRedirect(res, withQuery('/error', { error: error.code.toLowerCase(), request_id: exchange.context.requestId }))
      })
    }
}

const createPreflightHandler =
  (cors: ReturnType<typeof createCors>) =>
  (calls: PathCalls): RequestHandler =>
  (req, res, next) => {
    if (cors.preflight(req, res, calls)) return
    exchangeOf(res).methods = calls.methods
    next()
  }

/** A parameter that cannot be decoded belongs to an unknown address. */
const forgetBadEncoding: ErrorRequestHandler = (error, _req, _res, next) =>
  // Express gives its own errors a status. A `URIError` of a handler has none, and stays a bug.
  next(error instanceof URIError && 'status' in error && error.status === 400 ? undefined : error)

const createApiDocumentHandler =
  ({ apiDocument }: ServerDeps, checkRateLimit: ReturnType<typeof createLimitCheck>): RequestHandler =>
  async (req, res, next) => {
    if (apiDocument === undefined) return next()
    await checkRateLimit('file', exchangeOf(res).context)
    sendFile(req, res, await apiDocument())
  }

/** Console pages have the addresses of the resources that they show, so they are handled before the calls. */
const createConsoleHandler =
  (
    { staticFiles }: ServerDeps,
    isConsoleAddress: ReturnType<typeof createConsoleAddresses>,
    checkRateLimit: ReturnType<typeof createLimitCheck>,
  ): RequestHandler =>
  async (req, res, next) => {
    const { context, fullPath, search } = exchangeOf(res)
    // Programs send a token, and programs in Java accept HTML by default. A proxy may add a token to the request of a browser. The front
    // page is not the address of a resource.
    const isProgram = bearerOf(req.headers) !== undefined && req.headers['sec-fetch-mode'] !== 'navigate'
    const isPage = isGetOrHead(req) && (/^\/admin\/?$/.test(fullPath) || (acceptsHtml(req.headers) && !isProgram))
    if (!isPage || !isConsoleAddress(fullPath)) return next()
    await checkRateLimit('other', context)
    exchangeOf(res).route = 'page'
    if (!staticFiles.serveConsole(req, res, search)) next()
  }

const createPageHandler =
  ({ staticFiles }: ServerDeps, checkRateLimit: ReturnType<typeof createLimitCheck>): RequestHandler =>
  async (req, res) => {
    const { context, fullPath, path, search, methods } = exchangeOf(res)
    await checkRateLimit(staticFiles.isFile(fullPath) ? 'file' : 'other', context)
    const asksForPage = isGetOrHead(req) && acceptsHtml(req.headers)
    // Requests for the front page, and for a page that a client expects below the prefix of the API.
    exchangeOf(res).route = staticFiles.isFile(fullPath) ? 'file' : asksForPage ? 'page' : 'none'
    const page = fullPath === '/' && asksForPage ? '/account' : path
    if (page !== fullPath && staticFiles.isPage(page) && isGetOrHead(req)) {
      res.writeHead(302, { Location: search === '' ? page : `${page}?${search}`, 'Content-Length': 0 }).end()
      return
    }
    if (staticFiles.serve(req, res, fullPath, search) || (asksForPage && staticFiles.notFound(req, res, fullPath, search))) return
    throw coreErrors.error(
      'NOT_FOUND',
      methods.length === 0 ? {} : { message: `Not found: this path answers ${methods.join(', ')}, not ${req.method}` },
    )
  }

/** Statuses for which a browser gets a page, at any address. */
const problemKinds: ReadonlyMap<number, ProblemKind> = new Map([
  [429, 'tooMany'],
  [500, 'failed'],
  [503, 'unavailable'],
])

const createFailureHandler = (deps: ServerDeps): ErrorRequestHandler => {
  const { log, staticFiles } = deps
  return (error, req, res, _next) => {
    const exchange = exchangeOf(res)
    const { requestId } = exchange.context
    if (!res.headersSent) recordDenial(deps, exchange, error)
    if (isAnswered(res, error, requestId, log)) return
    const refusal = refusalOf(error, requestId, log)
    const status = refusal?.status ?? 500
    const kind = status === 503 && deps.isInMaintenance?.() === true ? 'maintenance' : problemKinds.get(status)
    // A browser gets a page, and a program gets JSON.
    if (kind !== undefined && isNavigation(req)) {
      const seconds = refusal?.retryAfterSeconds
      const problem = { kind, requestId, ...(seconds === undefined ? {} : { seconds }) }
      if (staticFiles.problem(req, res, exchange.search, status, problem)) return
    }
    sendRefusal(res, refusal, requestId)
  }
}

/** Writes the response to a request. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void

/** The HTTP policy, from top to bottom. For a call, `call.ts` continues it. */
export const createHandler = (deps: ServerDeps): Handler => {
  const { log } = deps
  const isSecure = deps.sessionCookie.secure
  const checkRateLimit = createLimitCheck(deps.rateLimits)
  const cors = createCors(deps.trustedUrls, deps.adminUrls, deps.ownPageOrigins)
  const call = createCall({ ...deps, leave: deps.staticFiles.leave, ownUrls: createTrustedUrls(deps.config.url, []) })
  const isConsoleAddress = createConsoleAddresses(deps.routes.map(({ endpoint }) => endpoint))
  const begin = createBegin(deps)
  const checkHosts = createHostCheck(deps)
  const runMount = createMountHandler(deps)
  const runCall = createCallHandler(deps, cors, call)
  const preflightOrNoCall = createPreflightHandler(cors)
  const sendApiDocument = createApiDocumentHandler(deps, checkRateLimit)
  const sendConsole = createConsoleHandler(deps, isConsoleAddress, checkRateLimit)
  const sendPage = createPageHandler(deps, checkRateLimit)
  const sendFailure = createFailureHandler(deps)

  // A router without an Express application. Gatehouse handles bodies, queries, ETags and client addresses itself. An application would
  // change the prototypes of requests and responses, which makes every access to them slow.
  const app = express.Router(exactPaths)
  const api = createApiRouter(deps.routes, { call: runCall, otherwise: preflightOrNoCall })

  app.use(securityHeaders(isSecure))
  app.use((req, res, next) => {
    res.locals = { exchange: begin(req, res) }
    next()
  })
  app.use(checkHosts)
  app.use(createMaintenanceCheck(deps))
  app.use(runMount)
  app.use(sendConsole)
  app.use('/api/auth', api)
  app.use(api)
  app.use(forgetBadEncoding)
  app.get('/openapi.json', sendApiDocument)
  app.use(sendPage)
  app.use(sendFailure)

  return (req, res) => {
    hideForeignAddress(req as Request)
    // Only an error in `sendFailure` itself arrives here.
    app(req as Request, res as Response, (err: unknown) => {
      log.error({ err }, 'a response could not be sent')
      res.destroy()
    })
  }
}
