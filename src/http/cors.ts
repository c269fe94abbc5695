import type { Request, Response } from 'express'
import { coreErrors } from '../core/errors.ts'
import type { Endpoint } from './contract.ts'
import type { RouteTable } from './find-route.ts'
import type { Route } from './handlers.ts'
import type { TrustedUrls } from './trusted-url.ts'

/** Calls of our own pages, and what no script sends (webhooks, forms that a provider posts), are for no other origin. */
const isForApplications = ({ hidden, ownPages, encoding = 'json' }: Endpoint) =>
  hidden !== true && ownPages !== true && encoding === 'json'

/** How long a browser may remember a preflight: a configured origin that is taken away is out after this. */
const rememberSeconds = 600

/**
 * Lets scripts of the configured origins call the API and read its answers, with the session cookie (security baseline, section 5).
 * The origin is named, never `*` or `null`; to others nothing is said, so that their browsers keep the answer from them.
 * Returns true when the request was a preflight, which is answered then.
 */
export const createCors =
  (table: RouteTable, trusted: TrustedUrls, ownPageOrigins: readonly string[]) =>
  (req: Request, res: Response, path: string, route: Route | undefined): boolean => {
    const { origin } = req.headers
    const wanted = req.method === 'OPTIONS' ? req.headers['access-control-request-method'] : undefined
    const called = wanted === undefined ? route : table.find(wanted, path)?.route
    if (called === undefined) return false
    const isFromPage = called.endpoint.configuredPages === true && ownPageOrigins.includes(origin ?? '')
    if (!isForApplications(called.endpoint) && !isFromPage) return false
    res.setHeader('Vary', 'Origin')
    const isTrusted = origin !== undefined && trusted.isTrustedOrigin(origin)
    if (isTrusted) {
      res.setHeader('Access-Control-Allow-Origin', origin)
      res.setHeader('Access-Control-Allow-Credentials', 'true')
      res.setHeader('Access-Control-Expose-Headers', 'Retry-After, X-Retry-After, X-Request-Id')
    }
    if (wanted === undefined) return false
    if (!isTrusted) throw coreErrors.refuse('INVALID_ORIGIN')
    res.writeHead(204, {
      'Access-Control-Allow-Methods': table.methods(path).join(', '),
      'Access-Control-Allow-Headers': 'Content-Type, Authorization, Gatehouse-Organization',
      'Access-Control-Max-Age': String(rememberSeconds),
    })
    res.end()
    return true
  }
