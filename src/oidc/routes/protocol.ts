import type { FullyAuthenticated, Sessions } from '../../authentication/sessions/index.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { isAmongTags } from '../../core/etag.ts'
import { waitHeaders } from '../../core/web.ts'
import { hasBody, isOfType, readBody, readForm } from '../../http/body.ts'
import { formatCookie, parseCookies, type SignedCookie } from '../../http/cookies.ts'
import { limitAddress } from '../../http/origin.ts'
import type { RateLimits } from '../../http/rate-limit.ts'
import { sendEmpty } from '../../http/response.ts'
import type { Mount } from '../../http/server.ts'
import { isNavigation } from '../../http/static.ts'
import type { Clients } from '../clients/service.ts'
import type { CommandLine } from '../command-line/service.ts'
import { devicePage, devicePath } from '../device/codes.ts'
import { deviceConfirmation } from '../device/library.ts'
import { endpoints, type PreparedDocument } from '../engine/documents.ts'
import { isStructured, replaceBody, structuredMark } from '../engine/library.ts'
import type { ProviderManager } from '../engine/manager.ts'
import type { ProviderRequests, SignedIn } from '../engine/requests.ts'
import { type Resources, resourceDocuments } from '../engine/resources.ts'
import { redirect, redirectToErrorPage, repeatByGet, searchOf } from '../engine/responses.ts'
import type { MetadataDocuments } from '../metadata-documents/service.ts'
import { isPublic } from '../rules.ts'
import type { ReadFacts } from '../step-up/rules.ts'
import type { TestSignIns } from '../test-sign-ins/service.ts'
import type { ConfirmedDevices } from './confirmed-devices.ts'
import type { createEndSession } from './end-session.ts'

type EndSession = Pick<ReturnType<typeof createEndSession>, 'start'>

interface Deps {
  readonly url: string
  readonly clients: Clients
  readonly manager: ProviderManager
  readonly requests: ProviderRequests
  readonly sessionCookie: SignedCookie
  readonly sessions: Sessions
  readonly endSession: EndSession
  readonly readFacts: ReadFacts
  readonly testSignIns: Pick<TestSignIns, 'open'>
  /** The redirect URI of administrators' test sign-ins. */
  readonly testAddress: string
  /** Undefined if limits are disabled. */
  readonly rateLimits: RateLimits | undefined
  readonly resources: Resources
  readonly metadataDocuments: MetadataDocuments
  readonly commandLine: Pick<CommandLine, 'prepare'>
  readonly confirmedDevices: Pick<ConfirmedDevices, 'read'>
}

type Request = Parameters<Mount['handle']>[0]
type Response = Parameters<Mount['handle']>[1]
type Source = Parameters<Mount['handle']>[2]

const documentPaths = new Set(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', endpoints.jwks])
const resumePath = /^\/oauth2\/(authorize|device\/continue)\/[\w-]{1,64}$/
/**
 * True for requests that start something without authentication; they are rate limited. Requests of authenticated clients are not,
 * because a client serves many people. `throttling` limits the failures of clients instead.
 */
const isLimited = (path: string) =>
  [endpoints.authorization, endpoints.device_authorization, endpoints.end_session, endpoints.pushed_authorization_request].some(
    (start) => path.startsWith(start),
  )

/** Adds the default scope before the library reads the request. Without a scope the library refuses `nonce` and other parameters. */
const addDefaultScope = (req: Request) => {
  const query = new URLSearchParams(searchOf(req.url))
  if (query.getAll('scope').some((scope) => scope !== '') || query.has('request_uri')) return
  query.set('scope', 'openid')
  req.url = `${endpoints.authorization}?${query}`
}

/** The methods that the library accepts at its endpoints. */
const libraryMethods: ReadonlyMap<string, readonly string[]> = new Map([
  [endpoints.authorization, ['GET', 'HEAD', 'POST']],
  [endpoints.device_authorization, ['POST', 'OPTIONS']],
  [endpoints.token, ['POST', 'OPTIONS']],
  [endpoints.userinfo, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  [endpoints.introspection, ['POST', 'OPTIONS']],
  [endpoints.revocation, ['POST', 'OPTIONS']],
  [endpoints.pushed_authorization_request, ['POST', 'OPTIONS']],
])

/** The paths at which clients authenticate. */
const clientPaths: ReadonlySet<string> = new Set([
  endpoints.device_authorization,
  endpoints.token,
  endpoints.introspection,
  endpoints.revocation,
  endpoints.pushed_authorization_request,
])

/** The paths of endpoints that receive a token in the form. */
const tokenPaths: ReadonlySet<string> = new Set([endpoints.introspection, endpoints.revocation])

/** The parameters of a request that starts a sign-in, whether it comes from the browser or is pushed. */
const startOf = (path: string, search: string, body: URLSearchParams | undefined): URLSearchParams | undefined => {
  if (path === endpoints.authorization) return new URLSearchParams(search)
  return path === endpoints.pushed_authorization_request ? body : undefined
}

/**
 * The library expects the form with which a person confirms a device. The browser comes from a page of this server by GET, so the form is
 * made here.
 */
const confirmInLibrary = (req: Request) => {
  req.method = 'POST'
  req.url = devicePath
  replaceBody(req, new URLSearchParams({ ...deviceConfirmation, user_code: 'as confirmed' }))
}

/** The client id in a Basic header with an empty secret, which some libraries send for public clients. Undefined for any other header. */
const idWithoutSecret = (req: Request): string | undefined => {
  const encoded = /^Basic ([A-Za-z0-9+/]{1,400}={0,2})$/i.exec(req.headers.authorization ?? '')?.[1]
  return encoded === undefined ? undefined : /^([^:]+):$/.exec(Buffer.from(encoded, 'base64').toString())?.[1]
}

/**
 * Moves the id of a public client from the header into the form. A form that names another client stays unchanged, and the library
 * answers it with an error.
 */
const nameClient = (req: Request, form: URLSearchParams, clientId: string | undefined): void => {
  if (clientId === undefined || form.getAll('client_id').some((id) => id !== clientId)) return
  if (!form.has('client_id')) form.append('client_id', clientId)
  delete req.headers.authorization
}

/** Turns a JSON body into a form. Returns a text if there is a problem. */
const formOfJson = (body: unknown): URLSearchParams | string => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'the body must be an object'
  const fields = Object.entries(body).filter(([, value]) => value !== null)
  const wrong = fields.find(([, value]) => typeof value !== 'string')
  return wrong === undefined ? new URLSearchParams(fields as [string, string][]) : `${wrong[0]} must be a string`
}

/**
 * Reads the body for the library, with the limits that apply to every body. With `takesJson` the body may be JSON, which the library
 * itself does not accept. `looksAtTokens` says that the endpoint receives a token, which may be a JWT. `publicId` is the public client
 * from a header without a secret. Returns the form, or undefined without a body, or a text about the problem.
 */
const prepareBody = async (
  req: Request,
  takesJson: boolean,
  publicId: string | undefined,
  looksAtTokens: boolean,
): Promise<URLSearchParams | string | undefined> => {
  const isJson = takesJson && isOfType(req, 'json')
  if (!hasBody(req) || !(isJson || isOfType(req, 'form'))) return undefined
  try {
    const form = isJson ? formOfJson(await readBody(req, 'json')) : await readForm(req)
    if (typeof form === 'string') return form
    nameClient(req, form, publicId)
    const tokens = form.getAll('token')
    const [token = ''] = tokens
    // A token that is sent twice stays unchanged, and the library refuses it.
    if (looksAtTokens && tokens.length === 1 && isStructured(token)) form.set('token', structuredMark + token)
    replaceBody(req, form)
    return form
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

/** Handles a sign-in that an application starts by letting the browser post a form (OpenID Connect Core 1.0, section 3.1.2.1). */
const startByGet = async (req: Request, res: Response) => {
  if (!isOfType(req, 'form')) return redirectToErrorPage(res, 'only application/x-www-form-urlencoded bodies are supported')
  return repeatByGet(res, endpoints.authorization, await readForm(req))
}

const sendOAuthError = (res: Response, status: number, error: string, description: string) => {
  const body = JSON.stringify({ error, error_description: description })
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  })
  res.end(body)
}

const sendDocument = (req: Request, res: Response, document: PreparedDocument) => {
  if (req.method === 'OPTIONS') {
    res.writeHead(204, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Max-Age': '3600',
    })
    res.end()
    return
  }
  if (isAmongTags(req.headers['if-none-match'], document.etag)) {
    const { 'Content-Length': _, ...headers } = document.headers
    res.writeHead(304, headers).end()
    return
  }
  res.writeHead(200, document.headers).end(document.body)
}

/** The endpoints of the protocol. The public documents come from memory; the library answers everything else. */
export const createProtocolMount = ({
  url,
  clients,
  manager,
  requests,
  sessionCookie,
  sessions,
  endSession,
  readFacts,
  testSignIns,
  testAddress,
  rateLimits,
  resources,
  metadataDocuments,
  confirmedDevices,
  commandLine,
}: Deps): Mount => {
  const { host, protocol } = new URL(url)

  const metadataPaths = new Set(resourceDocuments(url, resources).keys())
  const encodedTestAddress = encodeURIComponent(testAddress)

  /**
   * The library derives URLs and the names of cookies from these headers. They are replaced by the public address of this server,
   * whatever the caller has sent.
   */
  const normaliseHost = (req: Request) => {
    req.headers.host = host
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete req.headers['x-forwarded-host']
    delete req.headers['x-forwarded-for']
  }

  const signedInOf = async (req: Request, res: Response, source: Source) => {
    const token = sessionCookie.decode(parseCookies(req.headers.cookie).get(sessionCookie.name))
    const found = token === undefined ? undefined : await sessions.authenticateFully(token, source)
    if (token !== undefined && found?.renewedSeconds !== undefined)
      res.appendHeader(
        'Set-Cookie',
        formatCookie(sessionCookie.name, sessionCookie.encode(token), sessionCookie.secure, { maxAge: found.renewedSeconds }),
      )
    return found
  }

  const signedInFrom = ({ principal: { user, session }, authentication }: FullyAuthenticated): SignedIn => ({
    ...{ user, session },
    authentication: readFacts(authentication, session),
  })

  const publicIdOf = async (req: Request): Promise<string | undefined> => {
    const id = idWithoutSecret(req)
    const client = id === undefined ? undefined : await clients.find(id)
    return client !== undefined && isPublic(client.type) ? client.clientId : undefined
  }

  const handle: Mount['handle'] = async (req, res, source) => {
    const path = req.url.split('?', 1)[0] ?? ''
    if (rateLimits !== undefined && isLimited(path)) {
      const { max, windowSeconds } = rateLimits.general
      const seconds = await rateLimits.limiter.hit(`general:${limitAddress(source.address)}`, max, windowSeconds)
      if (seconds > 0) {
        // This error is shown on a page, because the browser navigates to this URL.
        if (isNavigation(req)) throw coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: seconds })
        res.setHeaders(new Headers(waitHeaders(seconds)))
        return sendOAuthError(res, 429, 'temporarily_unavailable', 'Too many requests; try again later')
      }
    }
    const current = await manager.current()
    const document = current.documents.get(path)
    if (document !== undefined) return sendDocument(req, res, document)
    // The library would handle HEAD like GET, and so start a sign-in or a sign-out.
    if (req.method === 'HEAD' && path !== endpoints.userinfo) return sendEmpty(res)
    if (path === endpoints.end_session)
      return void (await endSession.start(req, res, current, (await signedInOf(req, res, source))?.principal))
    if (path === endpoints.authorization && req.method === 'POST') return void (await startByGet(req, res))
    const publicId = clientPaths.has(path) ? await publicIdOf(req) : undefined
    const body =
      req.method === 'POST' ? await prepareBody(req, path === endpoints.token, publicId, tokenPaths.has(path)) : undefined
    if (typeof body === 'string') return sendOAuthError(res, 400, 'invalid_request', body)
    const isBrowser = path.startsWith(endpoints.authorization) || path.startsWith(devicePath)
    const confirmedDevice = path === devicePath ? confirmedDevices.read(searchOf(req.url), req.headers.cookie) : undefined
    if (path === devicePath && confirmedDevice === undefined) return void redirect(res, devicePage({ problem: 'expired' }))
    const search = searchOf(req.url)
    if (path === endpoints.authorization) addDefaultScope(req)
    if (path === endpoints.device_authorization) await commandLine.prepare(body?.get('client_id') ?? '')
    const clientIds = startOf(path, search, body)?.getAll('client_id') ?? []
    const networkKey = limitAddress(source.address)
    const [clientId = ''] = clientIds
    const unread = clientIds.length === 1 ? await metadataDocuments.prepare(clientId, { ...source, networkKey }) : undefined
    if (unread !== undefined) {
      if (!isBrowser) return sendOAuthError(res, 401, 'invalid_client', unread)
      return void redirectToErrorPage(res, unread, 'invalid_client')
    }
    const found = isBrowser ? await signedInOf(req, res, source) : undefined
    const signedIn = found && signedInFrom(found)
    const isTestSignIn =
      path === endpoints.authorization &&
      search.includes(encodedTestAddress) &&
      signedIn !== undefined &&
      (await testSignIns.open(search, signedIn.session.id))
    requests.open(req, { source, signedIn, isTestSignIn, networkKey, confirmedDevice })
    if (confirmedDevice !== undefined) confirmInLibrary(req)
    normaliseHost(req)
    await current.handle(req, res)
  }

  return {
    matches: (method, path) => {
      if (documentPaths.has(path) || metadataPaths.has(path)) return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
      if (path === endpoints.end_session) return ['GET', 'HEAD', 'POST'].includes(method)
      if (path === devicePath) return method === 'GET' || method === 'HEAD'
      return libraryMethods.get(path)?.includes(method) ?? ((method === 'GET' || method === 'HEAD') && resumePath.test(path))
    },
    routeOf: (path) => (resumePath.test(path) ? `${path.slice(0, path.lastIndexOf('/'))}/:uid` : path),
    handle,
  }
}
