import express, { type RequestHandler, type Router } from 'express'
import type { Route } from './handlers.ts'

/** The calls at one path. */
export interface PathCalls {
  readonly routes: readonly Route[]
  /** The methods of these calls, for messages and preflights. */
  readonly methods: readonly string[]
}

/** Makes the handlers of a path. A handler that calls `next` passes the request on. */
export interface RouteHandlers {
  call(route: Route): RequestHandler
  /** Handles the other requests of the path. */
  otherwise(calls: PathCalls): RequestHandler
}

/** Makes paths different if they differ in case, or in a slash at the end. */
export const exactPaths = { caseSensitive: true, strict: true } as const

const isSegment = (value: string) => !['', '.', '..'].includes(value) && !['/', '\\', '\0'].some((sign) => value.includes(sign))
/**
 * True for the `client_id` of a client with a metadata document. It is an address that is encoded as one segment, and its spelling has no
 * dot segments.
 */
const isAddress = (value: string) => /^https:\/\/[^/]/.test(value) && URL.canParse(value) && new URL(value).href === value

/** If a parameter would be read as several segments, or as none, the request does not belong to this path. */
const requireSegments: RequestHandler = ({ params }, _res, next) =>
  Object.values(params).every((value) => isSegment(String(value)) || isAddress(String(value))) ? next() : next('route')

const knownMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const verbs = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

const addPath = (router: Router, path: string, routes: readonly Route[], handlers: RouteHandlers) => {
  const methods = knownMethods.filter((method) => routes.some(({ endpoint }) => endpoint.method === method))
  const target = router.route(path)
  if (path.includes(':')) target.all(requireSegments)
  for (const route of routes) {
    // Express also answers HEAD with the route of GET (RFC 9110, section 9.3.2). The call then leaves out its changes.
    target[verbs[route.endpoint.method]](handlers.call(route))
  }
  target.all(handlers.otherwise({ routes, methods }))
}

/**
 * Registers every endpoint as a route of Express. Paths with several segments get a router for each first segment. A single router would
 * try all routes one after the other, so the last ones would be slow. Exact paths come before paths with parameters.
 */
export const createApiRouter = (routes: readonly Route[], handlers: RouteHandlers): Router => {
  const api = express.Router(exactPaths)
  const groups = new Map<string, Router>()
  const groupOf = (segment: string): Router => {
    const router = groups.get(segment) ?? express.Router(exactPaths)
    if (!groups.has(segment)) api.use(`/${segment}`, router)
    groups.set(segment, router)
    return router
  }
  const byPath = Map.groupBy(routes, ({ endpoint }) => endpoint.path)
  const isPattern = (path: string) => path.includes(':')
  for (const [path, calls] of [...byPath].sort(([a], [b]) => Number(isPattern(a)) - Number(isPattern(b)))) {
    const [, first = '', ...rest] = path.split('/')
    if (rest.length === 0) addPath(api, path, calls, handlers)
    else addPath(groupOf(first), `/${rest.join('/')}`, calls, handlers)
  }
  return api
}
