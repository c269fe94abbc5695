import { AppError, coreErrors, type Issue } from '../core/errors.ts'
import type { HttpRequest } from './response.ts'

type Encoding = 'json' | 'form' | 'upload' | 'raw'

/** Limits the memory, in bytes, that the bodies of unverified requests take on all connections together. */
export interface ByteBudget {
  /** Reserves memory. False, and nothing is reserved, if fewer bytes are left. */
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
 * Thrown when the client has closed the connection before its request or the response was complete. No response can be sent. It is not an
 * error of the server.
 */
export class RequestAborted extends Error {
  constructor(cause: unknown) {
    super('the request was cut off', { cause })
    this.name = 'RequestAborted'
  }
}

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])
const mostFields = 64

/**
 * Finds keys that could change the prototype of an object, and bodies that are nested deeper than 20 levels or have an object with more
 * than 64 fields (security baseline, section 6).
 */
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

/** True for a request whose headers say that a body follows. */
export const hasBody = (req: HttpRequest): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

/** True if the handler receives the body as bytes. */
const isBytes = (encoding: Encoding) => encoding === 'raw' || encoding === 'upload'

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

const typeOf = (req: HttpRequest) => req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()

/** True if the request's header says that its body is JSON or a form. */
export const isOfType = (req: HttpRequest, encoding: 'json' | 'form'): boolean => typeOf(req) === mediaTypes[encoding]

/** The charset in the header `Content-Type`. If it is repeated, the last one. Undefined if there is none. */
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

/** Limits for the body of a request. */
export interface BodyLimits {
  readonly maxBytes?: number
  /** Counts the bytes of all bodies that are not complete yet. */
  readonly budget?: ByteBudget | undefined
}

const hundredKilobytes = 102_400
const megabyte = 1_048_576
/** The largest file that can be uploaded, in bytes. */
export const longestUpload = 5_000_000

/** Reads all bytes of a body. How long that may take is limited by the request timeout of the server. */
const readBytes = async (req: HttpRequest, { maxBytes = hundredKilobytes, budget }: BodyLimits): Promise<Buffer> => {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw coreErrors.error('BODY_TOO_LARGE')
  // The bytes are collected in one buffer. If a body arrives byte by byte, a list of chunks would take hundreds of times the memory.
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
    // The rest of the body is read and dropped, because the next request comes after it on the same connection.
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
    // The message of the parser may quote the body, so the client gets a different message.
  }
  throw coreErrors.error('INVALID_JSON', { message: 'The body is not valid JSON' })
}

const requireType = (req: HttpRequest, encoding: 'json' | 'form') => {
  if (!isOfType(req, encoding)) throw invalidBody([{ path: 'content-type', message: `expected ${mediaTypes[encoding]}` }])
  checkCoding(req, encoding)
}

/**
 * Reads a form. All forms are read here. A form may have at most 100 kB and 64 fields, and must be UTF-8. If the client sent a field
 * several times, it is in the result as often.
 */
export const readForm = async (req: HttpRequest): Promise<URLSearchParams> => {
  if (!hasBody(req)) return new URLSearchParams()
  requireType(req, 'form')
  const text = decodeText(await readBytes(req, {}))
  if (text === undefined) throw invalidBody([{ path: '', message: 'expected UTF-8' }])
  // The number of fields is checked before the form is parsed.
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
 * Reads the body of a request. For `raw` and `upload`, returns its bytes. Otherwise parses it, and returns `{}` if there is none. If a
 * form repeats a field, its value is the list of all values.
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
