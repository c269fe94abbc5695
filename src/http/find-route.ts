import type { Route } from './handlers.ts'

export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export interface RouteTable {
  /** The route of a method and path, or undefined. */
  find(method: string, path: string): Match | undefined
  /** Methods that the path answers, for the message of a wrong one. */
  methods(path: string): readonly string[]
}

const decode = (segment: string): string | undefined => {
  try {
    const value = decodeURIComponent(segment)
    return ['', '.', '..'].includes(value) || ['/', '\\', '\0'].some((sign) => value.includes(sign)) ? undefined : value
  } catch {
    return undefined
  }
}

/** Exact paths by map, paths with parameters by their segments; another case, an empty or a dot segment matches nothing. */
export const createRouteTable = (routes: readonly Route[]): RouteTable => {
  const exact = new Map<string, Route>()
  const patterns = new Map<number, { readonly segments: readonly string[]; readonly route: Route }[]>()
  for (const route of routes) {
    const { method, path } = route.endpoint
    if (!path.includes(':')) exact.set(`${method} ${path}`, route)
    else {
      const segments = path.split('/')
      patterns.set(segments.length, [...(patterns.get(segments.length) ?? []), { segments, route }])
    }
  }
  const matchSegments = (pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined => {
    const params: Record<string, string> = {}
    for (const [i, expected] of pattern.entries()) {
      const actual = segments[i] ?? ''
      if (!expected.startsWith(':')) {
        if (expected !== actual) return undefined
        continue
      }
      const value = decode(actual)
      if (value === undefined) return undefined
      params[expected.slice(1)] = value
    }
    return params
  }
  const none = {}
  const findPattern = (method: string, path: string): Match | undefined => {
    const segments = path.split('/')
    for (const { segments: pattern, route } of patterns.get(segments.length) ?? []) {
      const params = route.endpoint.method === method ? matchSegments(pattern, segments) : undefined
      if (params !== undefined) return { route, params }
    }
    return undefined
  }
  const find = (method: string, path: string): Match | undefined => {
    const wanted = method === 'HEAD' ? 'GET' : method
    const route = exact.get(`${wanted} ${path}`)
    const match = route === undefined ? findPattern(wanted, path) : { route, params: none }
    // Link checkers ask with HEAD: a link that does something must not be followed by it.
    return method === 'HEAD' && match?.route.endpoint.access !== 'anonymous' ? undefined : match
  }
  return {
    find,
    methods: (path) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => find(method, path) !== undefined),
  }
}
