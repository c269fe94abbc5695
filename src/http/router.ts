import express, { type RequestHandler, type Router } from 'express'
import type { Route } from './handlers.ts'

/** The calls that have the same path. */
export interface PathCalls {
  readonly routes: readonly Route[]
  /** The methods of these calls. Messages and answers to preflight requests list them. */
  readonly methods: readonly string[]
}

/** Makes the request handlers for a path. If a handler calls `next`, the request goes to the next handler. */
export interface RouteHandlers {
  call(route: Route): RequestHandler
  /** Handles requests with a method that no call at this path has. */
  otherwise(calls: PathCalls): RequestHandler
}

/** With these options, paths are different if they differ in upper and lower case, or in a slash at the end. */
export const exactPaths = { caseSensitive: true, strict: true } as const

const isSegment = (value: string) => !['', '.', '..'].includes(value) && !['/', '\\', '\0'].some((sign) => value.includes(sign))
/**
 * True for a path segment that is the URL of a client with a metadata document (its `client_id`). The URL must be in normal form, so that
 * it contains no segments `.` or `..`.
 */
const isAddress = (value: string) => /^https:\/\/[^/]/.test(value) && URL.canParse(value) && new URL(value).href === value

/** Passes the request on to other routes if a parameter contains a slash, or is empty, `.` or `..`. */
const requireSegments: RequestHandler = ({ params }, _res, next) =>
  Object.values(params).every((value) => isSegment(String(value)) || isAddress(String(value))) ? next() : next('route')

const knownMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const verbs = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

const addPath = (router: Router, path: string, routes: readonly Route[], handlers: RouteHandlers) => {
  const methods = knownMethods.filter((method) => routes.some(({ endpoint }) => endpoint.method === method))
  const target = router.route(path)
  if (path.includes(':')) target.all(requireSegments)
  for (const route of routes) {
    // For HEAD, Express uses the route of GET (RFC 9110, section 9.3.2). The call then has no effects.
    target[verbs[route.endpoint.method]](handlers.call(route))
  }
  target.all(handlers.otherwise({ routes, methods }))
}

/**
 * Registers every endpoint as a route of Express. Paths with several segments are divided by their first segment, each with a router of
 * its own. A single router would try all routes one after the other, and the last ones would be slow. Exact paths are registered before
 * paths with parameters.
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
