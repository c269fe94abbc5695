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

/** A request that the server has received, and not one that it sends. So its method and URL are always set. */
export type HttpRequest = IncomingMessage & { method: string; url: string }
export type HttpResponse = ServerResponse

/** Sends JSON with headers that keep caches from storing it. */
export const sendJson = (
  res: HttpResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  // The body is passed as text, because Node then sends headers and body in one write. It would not for a buffer.
  const body = JSON.stringify(value)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  })
  res.end(body)
}

/** Bodies with fewer bytes than this are not compressed, because they fit into one packet anyway. */
const compressedFrom = 1024
const compress = promisify(gzip)

/**
 * True for lists and resources of the administration. Only their answers are compressed. Other answers contain sessions, codes or tokens:
 * from the compressed length of such an answer, an attacker whose text is in the same answer could guess the secret (BREACH).
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

/** Sends JSON as `sendJson` does, compressed if the client accepts that. */
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

/** Redirects with 302. `location` is a URL of gatehouse, or was checked by `http/trusted-url.ts`. */
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
 * The value of the header that makes a browser save a file. In the plain file name, quotes and characters beyond ASCII are replaced; the
 * encoded name (RFC 8187) contains them. Neither name contains a directory.
 */
export const attachment = (fileName: string): string => {
  const name = fileName.toWellFormed().replaceAll(/[/\\]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${name.replace(/[^\w. -]/gu, '_')}"; filename*=UTF-8''${encoded}`
}

const none = { fileName: undefined, mediaType: undefined }

const goneAway = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE']

/** Answers HEAD for a GET that would have an effect, without that effect. */
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
    // Keeps proxies such as nginx from collecting small parts of the answer before they send them.
    'X-Accel-Buffering': 'no',
    ...(fileName === undefined ? {} : { 'Content-Disposition': attachment(fileName) }),
  })
  if (req.method === 'HEAD') return void res.end()
  const source = chunks instanceof Readable ? chunks : Readable.from(chunks)
  try {
    await pipeline(source, res)
  } catch (error) {
    // It is not an error of the server if the client closes the connection, or does not read the answer.
    throw goneAway.includes((error as { code?: string }).code ?? '') ? new RequestAborted(error) : error
  } finally {
    // If the response is already closed, a pipeline would not close its source, such as a file or one of the limited streams. So the
    // source is closed here.
    source.destroy()
  }
}

/** True for a stream of events. Such a stream ends when the client ends it, so its duration is not counted. */
export const isEventStream = (res: Pick<HttpResponse, 'headersSent' | 'getHeader'>): boolean =>
  res.headersSent && res.getHeader('content-type') === eventStreamType

/** The content policy for a file that a user or operator has uploaded. With it, a browser uses the file only as a picture. */
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const sendContent = (req: HttpRequest, res: HttpResponse, { mediaType, bytes, tag, isImmutable, isShared }: FileContent) => {
  res.setHeader('Content-Security-Policy', filePolicy)
  res.setHeader('Cache-Control', isImmutable ? 'public, max-age=31536000, immutable' : 'public, no-cache')
  res.setHeader('ETag', `"${tag}"`)
  if (isShared) res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  if (isAmongTags(req.headers['if-none-match'], `"${tag}"`)) return void res.writeHead(304).end()
  res.writeHead(200, { 'Content-Type': mediaType, 'Content-Length': bytes.length }).end(bytes)
}

/** Sends the result of a handler in the form that the contract of the endpoint declares. */
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

/**
 * True if the response has already begun, so that the error cannot be answered. Then the response is cut off, and the error is logged
 * unless the client has caused it.
 */
export const isAnswered = (res: HttpResponse, error: unknown, requestId: string, log: Log): boolean => {
  // If the client closed the connection, the log already has a line about the response.
  const isAborted = error instanceof RequestAborted
  if (!isAborted && !res.headersSent) return false
  if (!isAborted) log.error({ err: error, requestId }, 'unhandled error after the response began')
  res.destroy()
  return true
}

/** The error to answer with. Undefined for an unexpected error, which is logged as a bug. */
export const refusalOf = (error: unknown, requestId: string, log: Log): AppError | undefined => {
  if (isUnavailable(error)) log.error({ err: error, requestId, problem: databaseFailureOf(error) }, 'database unavailable')
  if (isUnavailable(error)) return coreErrors.error('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5 })
  if (error instanceof AppError) return error
  log.error({ err: error, requestId }, 'unhandled error')
  return undefined
}

/** Sends an error. Every error body is written here. */
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
      // RFC 6750, section 3, requires this header.
      ...(oauthError === 'invalid_token' && status === 401 ? { 'WWW-Authenticate': 'Bearer error="invalid_token"' } : {}),
    },
  )
}

/** Longest path in a log line. A client must not be able to make log lines long. */
const longestPath = 256

/** The path of a URL, without the query, for the log. Parts that may be tokens or ids are masked. Then the path is cut. */
const scrubPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').replace(/[\w-]{20,}/g, (run) => (/[A-Z0-9]/.test(run) ? '*' : run)).slice(0, longestPath)

const quiet = new Set(['/livez', '/readyz', '/ok'])

/**
 * Logs one line for each response, with method, path, status and duration. Health checks and files are logged only at the level `debug`.
 * If the client closed the connection before the response was complete, the line has no status.
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
