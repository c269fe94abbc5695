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

/** A handler that receives the unread requests for some paths and writes the responses itself. The OIDC library has such a handler. */
export interface Mount {
  matches(method: string, path: string): boolean
  /** The name of a path in metrics. Variable parts of the path are left out. */
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
  /** The OpenAPI document. Undefined if the configuration disables it (`http.apiDocs`). */
  readonly apiDocument: (() => Promise<StaticFile>) | undefined
  /** The origins of sign-in and consent pages that the operator hosts elsewhere. */
  readonly ownPageOrigins: readonly string[]
  /** Called for a request from a trusted proxy whose forwarding header contains no IP address of the client. */
  readonly onUnreadableAddress?: (() => void) | undefined
  /** True while the database is being migrated. Then every request is answered with 503. */
  readonly isInMaintenance?: (() => boolean) | undefined
  /** Called when a call is denied, with the path of the endpoint. */
  readonly onDenied?: ((context: RequestContext, path: string, error: AppError) => void) | undefined
}

/** True if a person's browser follows a link to a call that answers with a redirect. Most such links are in mails. */
const isFollowedLink = (endpoint: Endpoint, { headers }: HttpRequest) =>
  endpoint.method === 'GET' && endpoint.urls !== undefined && acceptsHtml(headers)

const requestIdPattern = /^[\w-]{1,64}$/

/**
 * If the request target is not just a path and query, replaces it by one that no route matches. Express would find a path in a target
 * with a host or fragment, but gatehouse does not serve such targets.
 */
const hideForeignAddress = (req: Request): void => {
  if (/^\/[^#?]*(?:\?|$)/.test(req.url)) return
  req.originalUrl = req.url
  req.url = `/${encodeURIComponent(req.url)}`
}

const exchangeOf = (res: Response): Exchange => res.locals['exchange']

/** Makes the function that finds the IP address of the client. */
const createAddressReader = ({ config, log, onUnreadableAddress }: ServerDeps) => {
  const { clientAddressHeader: header } = config.http
  let isReported = false
  return createClientAddress(config.trustedProxies, header, (hop) => {
    onUnreadableAddress?.()
    // The warning is logged only once, because every request through this proxy has the same problem.
    if (!isReported) log.warn({ header, hop: hop.slice(0, 100) }, 'client address not understood: the proxy counts as the client')
    isReported = true
  })
}

/** Makes the first handler of each request. It collects what the later handlers need to know, and logs the response. */
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
      // The name of an organization is passed on even if it is invalid. An error is better than acting for another organization.
      ...(typeof organization === 'string' && organization !== '' ? { organization: organization.slice(0, 256) } : {}),
    }
    // Express and libraries change `url`, so the original URL is used.
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

/** How many seconds a client should wait during a migration. A migration takes seconds, and rarely minutes. */
const maintenanceSeconds = 30

/** Makes the handler that answers requests during a migration. It answers health checks without the database: the process is alive. */
const createMaintenanceCheck =
  ({ isInMaintenance = () => false }: ServerDeps): RequestHandler =>
  (_req, res, next) => {
    const { path } = exchangeOf(res)
    if (isInMaintenance() && path !== '/livez')
      throw coreErrors.error('SERVICE_UNAVAILABLE', { retryAfterSeconds: maintenanceSeconds })
    next()
  }

/** Makes the handler that refuses requests for another host. */
const createHostCheck = ({ config, sessionCookie }: ServerDeps): RequestHandler => {
  const publicHost = new URL(config.url).host
  const protocol = config.url.slice(0, config.url.indexOf(':'))
  /**
   * Compares parsed hosts, so that upper and lower case and the default port make no difference. A header with more than a host and a
   * port is refused.
   */
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

/** Records a call that was denied, with its principal and endpoint. A call with wrong input does not count as denied. */
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

/**
 * Makes the function that sends the page of a refused form. If the body was not read yet, it is read here, because the page shows the
 * typed text again.
 */
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
      // If a browser has posted the form of a page, it gets that page. A program gets JSON.
      if (route.endpoint.pageForm === true && acceptsHtml(req.headers))
        return work.catch(async (error: unknown) => {
          if (!(error instanceof AppError) || res.headersSent) throw error
          if (!(await sendForm(req, res, exchange, error))) throw error
          recordDenial(deps, exchange, error)
        })
      if (!isFollowedLink(route.endpoint, req)) return work
      return work.catch((error: unknown) => {
        // If a browser has to wait, it gets a page about that, at the same URL.
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

/** If a path parameter cannot be decoded, the path counts as unknown. */
const forgetBadEncoding: ErrorRequestHandler = (error, _req, _res, next) =>
  // Such an error of Express has a status. A `URIError` that a handler throws has none, and counts as a bug.
  next(error instanceof URIError && 'status' in error && error.status === 400 ? undefined : error)

const createApiDocumentHandler =
  ({ apiDocument }: ServerDeps, checkRateLimit: ReturnType<typeof createLimitCheck>): RequestHandler =>
  async (req, res, next) => {
    if (apiDocument === undefined) return next()
    await checkRateLimit('file', exchangeOf(res).context)
    sendFile(req, res, await apiDocument())
  }

/** Makes the handler for pages of the console. A page has the same path as the resource that it shows, so this handler comes before the calls. */
const createConsoleHandler =
  (
    { staticFiles }: ServerDeps,
    isConsoleAddress: ReturnType<typeof createConsoleAddresses>,
    checkRateLimit: ReturnType<typeof createLimitCheck>,
  ): RequestHandler =>
  async (req, res, next) => {
    const { context, fullPath, search } = exchangeOf(res)
    // A request with a token is from a program, even if it accepts HTML, as programs in Java do by default. But if a browser navigates,
    // it is not a program: a proxy may have added the token. `/admin` itself is always the console, because no resource has that path.
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
    // `/` leads to a page. So does the path of a page below `/api/auth`, where some clients expect it.
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

/** Statuses about which a browser gets a page, at any URL. */
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
    // A browser gets a page about the problem, and a program gets JSON.
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

/** Handles requests. The steps stand in their order, from top to bottom. For a call, `call.ts` continues. */
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

  // Only a router of Express is used, without an application. Gatehouse itself handles bodies, queries, ETags and client addresses. An
  // application would change the prototypes of requests and responses, and every access to them would be slow.
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
    // An error gets here only if `sendFailure` itself has thrown it.
    app(req as Request, res as Response, (err: unknown) => {
      log.error({ err }, 'a response could not be sent')
      res.destroy()
    })
  }
}
