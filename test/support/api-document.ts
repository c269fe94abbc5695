/** Compares every refusal that a test provokes with the API document. The document must list its code and status for the operation. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { App } from '../../src/composition.ts'
import { type ListedError, listErrors } from '../../src/core/errors.ts'
import { documentedErrors, errorsOfAllCalls } from '../../src/http/documented-errors.ts'
import type { Route } from '../../src/http/handlers.ts'

const isSegment = (segment: string) => {
  try {
    return !/^\.{0,2}$|[/\\\0]/.test(decodeURIComponent(segment))
  } catch {
    return false
  }
}

const matches = (pattern: string, path: string) => {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((segment, i) => (segment.startsWith(':') ? isSegment(given[i] ?? '') : segment === given[i]))
  )
}

const kindOf = (method: string | undefined, path: string) => `${method} ${path.split('/').length}`

/** Routes by their method and number of segments, for a fast search. */
const byKind = (routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> =>
  Map.groupBy(routes, ({ endpoint }) => kindOf(endpoint.method, endpoint.path))

/** The route of a request; undefined if no route matches. An exact path comes before a path with parameters. */
const routeOf = (
  routes: ReturnType<typeof byKind>,
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
): Route | undefined => {
  const path = (url.split('?', 1)[0] ?? '').replace(/^\/api\/auth\//, '/')
  const found = (routes.get(kindOf(method, path)) ?? []).filter(({ endpoint }) => matches(endpoint.path, path))
  return found.find(({ endpoint }) => endpoint.path === path) ?? found[0]
}

/** True if a code belongs to a listed error. The codes of some errors contain the id of a provider. */
const isCode = ({ code, message, oauthError }: ListedError, given: unknown) =>
  message.includes('{id}')
    ? new RegExp(`^${code.replace('_ID_', '_[A-Z0-9_]*_')}$`).test(String(given))
    : (oauthError ?? code) === given

interface Answer {
  readonly status: number
  readonly text: string
}

/** A text about a refusal that the document does not list; undefined for any other response. */
const differenceOf = (
  routes: ReturnType<typeof byKind>,
  documentedAt: (route: Route) => readonly ListedError[],
  request: Pick<IncomingMessage, 'method' | 'url'>,
  { status, text }: Answer,
): string | undefined => {
  const route = routeOf(routes, request)
  if (route === undefined || !text.startsWith('{')) return undefined
  const { code, error = code } = JSON.parse(text) as { readonly code?: unknown; readonly error?: unknown }
  if (documentedAt(route).some((one) => one.status === status && isCode(one, error))) return undefined
  return `${route.endpoint.method} ${route.endpoint.path} answered ${status} ${error}`
}

/** Checks the refusals of a server. The returned function throws if a refusal was not as the API document says. */
export const watchRefusals = (server: Server, app: Pick<App, 'routes' | 'errorTables'>): (() => void) => {
  const differences = new Set<string>()
  const listed = listErrors(app.errorTables)
  const routes = byKind(app.routes)
  const known = new Map<Route, readonly ListedError[]>()
  const documentedAt = (route: Route) => {
    const documented = known.get(route) ?? [...documentedErrors(route.endpoint, listed), ...errorsOfAllCalls(listed)]
    known.set(route, documented)
    return documented
  }
  server.prependListener('request', ({ method, url }: IncomingMessage, res: ServerResponse) => {
    const { end } = res
    res.end = ((...values: readonly unknown[]) => {
      const [text] = values
      const difference =
        res.statusCode >= 400 && typeof text === 'string'
          ? differenceOf(routes, documentedAt, { method: method as string, url: url as string }, { status: res.statusCode, text })
          : undefined
      if (difference !== undefined) differences.add(difference)
      return Reflect.apply(end, res, values)
    }) as typeof end
  })
  return () => {
    if (differences.size > 0)
      throw new Error(`The API document does not have these refusals:\n${[...differences].sort().join('\n')}`)
  }
}
