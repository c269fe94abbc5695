import { coreErrors } from '../core/errors.ts'
import type { Endpoint } from './contract.ts'
import { apiKeyOf } from './identify.ts'
import { isAdministrative } from './origin.ts'
import type { HttpRequest, HttpResponse } from './response.ts'
import type { PathCalls } from './router.ts'
import type { TrustedUrls } from './trusted-url.ts'

/**
 * True for a call that scripts of other origins may make. False for a call of gatehouse's own pages, and for requests that no script
 * sends (webhooks, and forms that a provider posts).
 */
const isForApplications = ({ hidden, ownPages, encoding = 'json' }: Endpoint) =>
  hidden !== true && ownPages !== true && encoding === 'json'

/**
 * For how many seconds a browser may store the answer to a preflight request. When an origin is removed from the configuration, its
 * scripts are refused after this time at the latest.
 */
const rememberSeconds = 600

/** The endpoint that a preflight request is about. HEAD counts as GET. */
const askedFor = (method: string, { routes }: PathCalls): Endpoint | undefined =>
  routes.map(({ endpoint }) => endpoint).find((endpoint) => endpoint.method === (method === 'HEAD' ? 'GET' : method))

/**
 * Sets the CORS headers, which let scripts of the configured origins call the API and read the answers, with the session cookie (security
 * baseline, section 5). Calls of administrators can be made with the cookie only from the origins of `admin`; scripts of other origins
 * need a token for them. The header contains the origin itself, never `*` or `null`. If an origin is not trusted, no header is set, so
 * its browser does not show the answer to the script.
 */
export const createCors = (
  trusted: TrustedUrls,
  admin: Pick<TrustedUrls, 'isTrustedOrigin'>,
  ownPageOrigins: readonly string[],
) => {
  /**
   * Sets the headers if the origin of the request is trusted, and returns whether it is. Undefined for an endpoint that scripts of other
   * origins may not call.
   */
  const allow = (req: HttpRequest, res: HttpResponse, endpoint: Endpoint): boolean | undefined => {
    const { origin } = req.headers
    const isFromPage = endpoint.configuredPages === true && ownPageOrigins.includes(origin ?? '')
    if (!isForApplications(endpoint) && !isFromPage) return undefined
    res.setHeader('Vary', 'Origin')
    if (origin === undefined) return false
    const mayUseSession = (isAdministrative(endpoint) ? admin : trusted).isTrustedOrigin(origin)
    if (!mayUseSession && !trusted.isTrustedOrigin(origin) && endpoint.anyOrigin !== true) return false
    res.setHeader('Access-Control-Allow-Origin', origin)
    // Not set for a call with an API key, because such a call must not use cookies: the browser then hides the answer from a page that has
    // sent cookies with it.
    if (mayUseSession && apiKeyOf(req.headers) === undefined) res.setHeader('Access-Control-Allow-Credentials', 'true')
    res.setHeader('Access-Control-Expose-Headers', 'ETag, Retry-After, X-Retry-After, X-Request-Id')
    return true
  }

  /**
   * Answers a preflight request and returns true. Returns false for any other request, and if the preflight is about a call that scripts
   * of other origins may not make.
   */
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
