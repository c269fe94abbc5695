import { coreErrors } from '../core/errors.ts'
import type { Endpoint } from './contract.ts'
import { apiKeyOf } from './identify.ts'
import { isAdministrative } from './origin.ts'
import type { HttpRequest, HttpResponse } from './response.ts'
import type { PathCalls } from './router.ts'
import type { TrustedUrls } from './trusted-url.ts'

/** False for calls of gatehouse's own pages, and for requests that no script sends (webhooks, forms that a provider posts). */
const isForApplications = ({ hidden, ownPages, encoding = 'json' }: Endpoint) =>
  hidden !== true && ownPages !== true && encoding === 'json'

/** How long a browser may cache the answer to a preflight. A removed origin is refused after this time. */
const rememberSeconds = 600

/** The endpoint that a preflight asks about. HEAD counts as GET. */
const askedFor = (method: string, { routes }: PathCalls): Endpoint | undefined =>
  routes.map(({ endpoint }) => endpoint).find((endpoint) => endpoint.method === (method === 'HEAD' ? 'GET' : method))

/**
 * Lets scripts of the configured origins call the API and read its responses, with the session cookie (security baseline, section 5).
 * With the cookie, calls of administrators are only for the origins of `admin`; other origins need a token. The header names the origin,
 * and never `*` or `null`. Origins that are not trusted get no header, so that their browsers withhold the response.
 */
export const createCors = (
  trusted: TrustedUrls,
  admin: Pick<TrustedUrls, 'isTrustedOrigin'>,
  ownPageOrigins: readonly string[],
) => {
  /** Sets the headers for a trusted origin, and returns true. Undefined for an endpoint that other origins may not call. */
  const allow = (req: HttpRequest, res: HttpResponse, endpoint: Endpoint): boolean | undefined => {
    const { origin } = req.headers
    const isFromPage = endpoint.configuredPages === true && ownPageOrigins.includes(origin ?? '')
    if (!isForApplications(endpoint) && !isFromPage) return undefined
    res.setHeader('Vary', 'Origin')
    if (origin === undefined) return false
    const mayUseSession = (isAdministrative(endpoint) ? admin : trusted).isTrustedOrigin(origin)
    if (!mayUseSession && !trusted.isTrustedOrigin(origin) && endpoint.anyOrigin !== true) return false
    res.setHeader('Access-Control-Allow-Origin', origin)
    // A call with an API key gets no cookies. A page that sends cookies with it cannot read the response.
    if (mayUseSession && apiKeyOf(req.headers) === undefined) res.setHeader('Access-Control-Allow-Credentials', 'true')
    res.setHeader('Access-Control-Expose-Headers', 'ETag, Retry-After, X-Retry-After, X-Request-Id')
    return true
  }

  /** Answers a preflight. False for any other request, and for a preflight of a call that other origins may not make. */
  const preflight = (req: HttpRequest, res: HttpResponse, calls: PathCalls): boolean => {
    const method = req.method === 'OPTIONS' ? req.headers['access-control-request-method'] : undefined
    const endpoint = method === undefined ? undefined : askedFor(method, calls)
    const isTrusted = endpoint === undefined ? undefined : allow(req, res, endpoint)
    if (isTrusted === undefined) return false
    if (!isTrusted) throw coreErrors.error('INVALID_ORIGIN')
    res.writeHead(204, {
      'Access-Control-Allow-Methods': calls.methods.join(', '),
      'Access-Control-Allow-Headers':
        'Content-Type, Authorization, Gatehouse-Organization, Gatehouse-Proof-Of-Work, Gatehouse-Reason, If-Match',
      'Access-Control-Max-Age': String(rememberSeconds),
    })
    res.end()
    return true
  }
  return { allow, preflight }
}
