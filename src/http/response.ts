import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { z } from 'zod'
import { isUnavailable } from '../core/db/database.ts'
import { databaseFailureOf } from '../core/db/failures.ts'
import { AppError, coreErrors } from '../core/errors.ts'
import { etagOfWire, isAmongTags } from '../core/etag.ts'
import { type Log, logPlainly } from '../core/log.ts'
import { waitHeaders } from '../core/web.ts'
import { RequestAborted } from './body.ts'
import { Accepted, Download, type Endpoint, eventStreamType, type FileContent, Redirect, responseOf } from './contract.ts'

/** A request that a server received. Node always sets its method and address. */
export type HttpRequest = IncomingMessage & { method: string; url: string }
export type HttpResponse = ServerResponse

/** Sends JSON. No cache may store it. */
export const sendJson = (
  res: HttpResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  // A text and not a buffer, so that headers and body leave in one write.
  const body = JSON.stringify(value)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  })
  res.end(body)
}

/** Length from which a body is compressed. A shorter one fits into one packet anyway. */
const compressedFrom = 1024
const compress = promisify(gzip)

/**
 * True for lists and resources of the administration. No other answer is compressed: the length of a compressed answer with sessions,
 * codes or tokens would show similarities with text that an attacker has put beside them (BREACH).
 */
export const isCompressible = ({ method, path, access, response, holdsSecrets }: Endpoint): boolean =>
  method === 'GET' &&
  path.startsWith('/admin/') &&
  typeof access === 'object' &&
  holdsSecrets !== true &&
  response instanceof z.ZodType

const acceptsGzip = ({ headers }: HttpRequest) =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((one) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(one))

/** Sends JSON as `sendJson` does, but compressed if the client accepts it. */
const sendCompressed = async (
  req: HttpRequest,
  res: HttpResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>>,
) => {
  const body = JSON.stringify(value)
  res.appendHeader('Vary', 'Accept-Encoding')
  if (!acceptsGzip(req) || Buffer.byteLength(body) < compressedFrom) return sendJson(res, status, value, headers)
  const bytes = await compress(body, { level: 4 })
  if (res.destroyed) return
  res.writeHead(status, {
    ...{ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
    ...{ 'Content-Encoding': 'gzip', 'Content-Length': bytes.length },
  })
  res.end(bytes)
}

/** Sends 302. `location` is gatehouse's own, or has passed `http/trusted-url.ts`. */
export const sendRedirect = (res: HttpResponse, location: string): void => {
  res.writeHead(302, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()
}

const sendText = (res: HttpResponse, mediaType: string, text: string) => {
  res.writeHead(200, {
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(text),
  })
  res.end(text)
}

/**
 * The header that names a file to save. Its name must contain neither quotes nor characters beyond ASCII; RFC 8187 encodes those. It
 * never contains a directory.
 */
export const attachment = (fileName: string): string => {
  const name = fileName.toWellFormed().replaceAll(/[/\\]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${name.replace(/[^\w. -]/gu, '_')}"; filename*=UTF-8''${encoded}`
}

const none = { fileName: undefined, mediaType: undefined }

const goneAway = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE']

/** The answer to HEAD for a GET that would have an effect. */
export const sendEmpty = (res: HttpResponse): void => void res.writeHead(200, { 'Cache-Control': 'no-store' }).end()

const sendStream = async (
  req: HttpRequest,
  res: HttpResponse,
  mediaType: string,
  content: Download | AsyncIterable<string | Uint8Array>,
) => {
  const { chunks, fileName, mediaType: own } = content instanceof Download ? content : { ...none, chunks: content }
  res.writeHead(200, {
    'Content-Type': own ?? mediaType,
    'Cache-Control': 'no-store',
    // Keeps proxies such as nginx from delaying small parts of the response.
    'X-Accel-Buffering': 'no',
    ...(fileName === undefined ? {} : { 'Content-Disposition': attachment(fileName) }),
  })
  if (req.method === 'HEAD') return void res.end()
  const source = chunks instanceof Readable ? chunks : Readable.from(chunks)
  try {
    await pipeline(source, res)
  } catch (error) {
    // The client closed the connection before or after the first byte, or does not read. That is no failure here.
    throw goneAway.includes((error as { code?: string }).code ?? '') ? new RequestAborted(error) : error
  } finally {
    // A pipeline to a closed response would leave its source open: a file, or a place among the streams.
    source.destroy()
  }
}

/** True for a stream of events. The client ends it, so its duration says nothing. */
export const isEventStream = (res: Pick<HttpResponse, 'headersSent' | 'getHeader'>): boolean =>
  res.headersSent && res.getHeader('content-type') === eventStreamType

/** The content policy for a file from outside. A browser may treat it only as a picture. */
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const sendContent = (req: HttpRequest, res: HttpResponse, { mediaType, bytes, tag, isImmutable, isShared }: FileContent) => {
  res.setHeader('Content-Security-Policy', filePolicy)
  res.setHeader('Cache-Control', isImmutable ? 'public, max-age=31536000, immutable' : 'public, no-cache')
  res.setHeader('ETag', `"${tag}"`)
  if (isShared) res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  if (isAmongTags(req.headers['if-none-match'], `"${tag}"`)) return void res.writeHead(304).end()
  res.writeHead(200, { 'Content-Type': mediaType, 'Content-Length': bytes.length }).end(bytes)
}

/** Sends the result of a handler in the form that the endpoint's contract declares. */
export const sendResult = (req: HttpRequest, res: HttpResponse, endpoint: Endpoint, result: unknown): void | Promise<void> => {
  if (result instanceof Redirect) return sendRedirect(res, result.url)
  const response = responseOf(endpoint)
  switch (response.kind) {
    case 'json': {
      const [status, value] = result instanceof Accepted ? [202, result.body] : [response.creates === true ? 201 : 200, result]
      const wire: unknown = z.encode(response.schema, value)
      const headers: Record<string, string> = endpoint.etag === undefined ? {} : { ETag: etagOfWire(endpoint.etag, wire) }
      if (isCompressible(endpoint)) return sendCompressed(req, res, status, wire, headers)
      return sendJson(res, status, wire, headers)
    }
    case 'none':
      return void res.writeHead(204, { 'Cache-Control': 'no-store' }).end()
    case 'redirect':
      throw new Error(`${endpoint.path} declares a redirect and returned something else`)
    case 'text':
      return sendText(res, response.mediaType, result as string)
    case 'stream':
      return sendStream(req, res, response.mediaType, result as Download | AsyncIterable<string | Uint8Array>)
    case 'file':
      return sendContent(req, res, result as FileContent)
  }
}

/** True if no answer can be sent any more. The response is then cut off. If the client did not cause the error, it is logged. */
export const isAnswered = (res: HttpResponse, error: unknown, requestId: string, log: Log): boolean => {
  // The log already has a line about a response that was cut off.
  const isAborted = error instanceof RequestAborted
  if (!isAborted && !res.headersSent) return false
  if (!isAborted) log.error({ err: error, requestId }, 'unhandled error after the response began')
  res.destroy()
  return true
}

/** The refusal that answers an error. Undefined for a bug, which is logged. */
export const refusalOf = (error: unknown, requestId: string, log: Log): AppError | undefined => {
  if (isUnavailable(error)) log.error({ err: error, requestId, problem: databaseFailureOf(error) }, 'database unavailable')
  if (isUnavailable(error)) return coreErrors.error('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5 })
  if (error instanceof AppError) return error
  log.error({ err: error, requestId }, 'unhandled error')
  return undefined
}

/** Writes the body of every error. */
export const sendRefusal = (res: HttpResponse, refusal: AppError | undefined, requestId: string): void => {
  if (refusal === undefined) {
    sendJson(res, 500, { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error', requestId })
    return
  }
  const { status, code, message, issues, retryAfterSeconds, oauthError } = refusal
  sendJson(
    res,
    status,
    oauthError === undefined
      ? { code, message, ...(issues === undefined ? {} : { issues }) }
      : { error: oauthError, error_description: message },
    {
      ...(retryAfterSeconds === undefined ? {} : waitHeaders(retryAfterSeconds)),
      // Required by RFC 6750, section 3.
      ...(oauthError === 'invalid_token' && status === 401 ? { 'WWW-Authenticate': 'Bearer error="invalid_token"' } : {}),
    },
  )
}

/** Longest path in the log. A client that is not trusted must not make log lines longer. */
const longestPath = 256

/** The path without its query. Parts that may be tokens or ids are masked before the path is cut. */
const scrubPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').replace(/[\w-]{20,}/g, (run) => (/[A-Z0-9]/.test(run) ? '*' : run)).slice(0, longestPath)

const quiet = new Set(['/livez', '/readyz', '/ok'])

/**
 * Logs one line for each response: method, path, status and duration. Health checks and files are logged only at `debug`. If the client
 * closed the connection before the response was complete, the line has no status.
 */
export const logResponse = (
  log: Log,
  { method, url }: Pick<HttpRequest, 'method' | 'url'>,
  res: Pick<HttpResponse, 'writableFinished' | 'statusCode' | 'headersSent' | 'getHeader'>,
  requestId: string,
  ms: number,
): void => {
  const path = scrubPath(url)
  const isWhole = res.writableFinished || isEventStream(res)
  const outcome = isWhole ? { status: res.statusCode } : { aborted: true }
  const line = { requestId, method, path, ...outcome, ms: Math.round(ms * 10) / 10 }
  const message = isWhole ? 'request' : 'request aborted'
  if (quiet.has(path) || path.startsWith('/assets/')) log.debug(line, message)
  else logPlainly(log, line, message)
}
