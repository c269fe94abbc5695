import { AppError, coreErrors, type Issue } from '../core/errors.ts'
import type { HttpRequest } from './response.ts'

type Encoding = 'json' | 'form' | 'upload' | 'raw'

/** The memory, in bytes, that the bodies of unverified requests may take on all connections together. */
export interface ByteBudget {
  /** False if fewer bytes are left. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export const createByteBudget = (most: number): ByteBudget => {
  let left = most
  return {
    take: (bytes) => {
      if (bytes > left) return false
      left -= bytes
      return true
    },
    give: (bytes) => {
      left += bytes
    },
  }
}

/**
 * Thrown when the client closed the connection before the request or its response was complete. No response can be sent, and nothing
 * failed here.
 */
export class RequestAborted extends Error {
  constructor(cause: unknown) {
    super('the request was cut off', { cause })
    this.name = 'RequestAborted'
  }
}

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])
const mostFields = 64

/** Refuses keys that reach prototypes, and bodies deeper than 20 or wider than 64 fields (security baseline, section 6). */
const checkShape = (value: unknown, path: string, depth: number): Issue | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > 20) return { path, message: 'nested deeper than 20 levels' }
  const keys = Object.keys(value)
  if (!Array.isArray(value) && keys.length > mostFields) return { path, message: `more than ${mostFields} fields` }
  for (const key of keys) {
    const here = path === '' ? key : `${path}.${key}`
    if (forbiddenKeys.has(key)) return { path: here, message: 'this name is not accepted' }
    const issue = checkShape((value as Record<string, unknown>)[key], here, depth + 1)
    if (issue !== undefined) return issue
  }
  return undefined
}

export const invalidBody = (issues: readonly Issue[]) =>
  coreErrors.error('VALIDATION_ERROR', { message: 'Invalid body parameters', issues })

/** True for a request that announces a body. */
export const hasBody = (req: HttpRequest): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

/** True if the handler gets the bytes of the body as they are. */
const isBytes = (encoding: Encoding) => encoding === 'raw' || encoding === 'upload'

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

const typeOf = (req: HttpRequest) => req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()

/** True for a body of this media type. */
export const isOfType = (req: HttpRequest, encoding: 'json' | 'form'): boolean => typeOf(req) === mediaTypes[encoding]

/** The last `charset=` of the header, or undefined. */
const charsetOf = (req: HttpRequest): string | undefined =>
  (req.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((parameter) => parameter.trim())
    .findLast((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '')

const checkCoding = (req: HttpRequest, encoding: Encoding) => {
  const isPlain = (req.headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'
  if (isPlain && (isBytes(encoding) || (charsetOf(req) ?? 'utf-8') === 'utf-8')) return
  throw coreErrors.error('UNSUPPORTED_MEDIA_TYPE', {
    message: 'Compressed bodies and other charsets than UTF-8 are not accepted',
    ...(encoding === 'raw' ? { status: 400 } : {}),
  })
}

/** Limits of a body. */
export interface BodyLimits {
  readonly maxBytes?: number
  /** Counts the bytes of bodies that are not complete yet. */
  readonly budget?: ByteBudget | undefined
}

const hundredKilobytes = 102_400
const megabyte = 1_048_576
/** Largest uploaded file in bytes. */
export const longestUpload = 5_000_000

/** Reads all bytes of the body. The server's request timeout limits the time. */
const readBytes = async (req: HttpRequest, { maxBytes = hundredKilobytes, budget }: BodyLimits): Promise<Buffer> => {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw coreErrors.error('BODY_TOO_LARGE')
  // One buffer and not a list of chunks: if a body arrives byte by byte, a list takes hundreds of times its size.
  let held = Buffer.alloc(0)
  let length = 0
  try {
    for await (const part of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (length + part.length > maxBytes) throw coreErrors.error('BODY_TOO_LARGE')
      if (budget?.take(part.length) === false) throw coreErrors.error('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5 })
      if (length + part.length > held.length)
        held = Buffer.concat([held.subarray(0, length)], Math.max(2 * length, length + part.length))
      part.copy(held, length)
      length += part.length
    }
    return held.subarray(0, length)
  } catch (error) {
    if (!(error instanceof AppError)) throw new RequestAborted(error)
    // The rest of the body is discarded, because the next request on this connection comes after it.
    req.resume()
    throw error
  } finally {
    budget?.give(length)
  }
}

const decodeText = (bytes: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const parseJson = (bytes: Buffer): object => {
  try {
    const value: unknown = JSON.parse(decodeText(bytes) ?? '')
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The parser's message may quote the body, so the client gets another message.
  }
  throw coreErrors.error('INVALID_JSON', { message: 'The body is not valid JSON' })
}

const requireType = (req: HttpRequest, encoding: 'json' | 'form') => {
  if (!isOfType(req, encoding)) throw invalidBody([{ path: 'content-type', message: `expected ${mediaTypes[encoding]}` }])
  checkCoding(req, encoding)
}

/** Reads a form; no other code does. It has at most 100 kB and 64 fields, in UTF-8. A repeated field appears as often as it was sent. */
export const readForm = async (req: HttpRequest): Promise<URLSearchParams> => {
  if (!hasBody(req)) return new URLSearchParams()
  requireType(req, 'form')
  const text = decodeText(await readBytes(req, {}))
  if (text === undefined) throw invalidBody([{ path: '', message: 'expected UTF-8' }])
  // Fields are counted before they are parsed.
  if (text.split('&', mostFields + 1).length > mostFields)
    throw invalidBody([{ path: '', message: `more than ${mostFields} fields` }])
  return new URLSearchParams(text)
}

const fieldsOf = (form: URLSearchParams): object => {
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const name of new Set(form.keys())) {
    const [first = '', ...others] = form.getAll(name)
    fields[name] = others.length === 0 ? first : [first, ...others]
  }
  return fields
}

/**
 * Reads the body: for `raw` and `upload` the exact bytes, otherwise the parsed body (`{}` if there is none). A field that a form repeats
 * is a list of its values.
 */
export const readBody = async (req: HttpRequest, encoding: Encoding, limits: BodyLimits = {}): Promise<unknown> => {
  if (!hasBody(req)) return isBytes(encoding) ? Buffer.alloc(0) : {}
  if (isBytes(encoding)) {
    checkCoding(req, encoding)
    return readBytes(req, { maxBytes: megabyte, ...limits })
  }
  if (encoding === 'json') requireType(req, encoding)
  const body = encoding === 'form' ? fieldsOf(await readForm(req)) : parseJson(await readBytes(req, limits))
  const issue = checkShape(body, '', 0)
  if (issue !== undefined) throw invalidBody([issue])
  return body
}
