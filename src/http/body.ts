import express, { type Request, type Response } from 'express'
import { coreErrors, type Issue } from '../core/errors.ts'

const parseJson = express.json({ limit: '100kb', inflate: false, strict: true, type: 'application/json' })
const parseForm = express.urlencoded({
  limit: '100kb',
  inflate: false,
  extended: false,
  parameterLimit: 64,
  type: 'application/x-www-form-urlencoded',
})
const readRaw = (limit: number) => express.raw({ limit, inflate: false, type: () => true })

type Encoding = 'json' | 'form' | 'raw'

interface ParserError {
  readonly status?: number
  readonly type?: string
}

/** body-parser's failures as refusals of the catalogue. */
const refusalOf = (error: ParserError, encoding: Encoding) => {
  if (error.type === 'entity.too.large') return coreErrors.refuse('BODY_TOO_LARGE')
  if (error.type === 'entity.parse.failed') return coreErrors.refuse('INVALID_JSON', { message: 'The body is not valid JSON' })
  if (error.status === 415)
    return coreErrors.refuse('UNSUPPORTED_MEDIA_TYPE', {
      message: 'Compressed bodies and other charsets than UTF-8 are not accepted',
      // Senders of raw bodies are answered with few statuses (billing events, section 3).
      ...(encoding === 'raw' ? { status: 400 } : {}),
    })
  return error.status !== undefined && error.status < 500
    ? coreErrors.refuse('VALIDATION_ERROR', { message: 'The body could not be read' })
    : error
}

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Refuses keys that reach prototypes, and bodies deeper than 20 or wider than 64 fields (security baseline, section 6). */
const checkShape = (value: unknown, path: string, depth: number): Issue | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > 20) return { path, message: 'nested deeper than 20 levels' }
  const keys = Object.keys(value)
  if (!Array.isArray(value) && keys.length > 64) return { path, message: 'more than 64 fields' }
  for (const key of keys) {
    const here = path === '' ? key : `${path}.${key}`
    if (forbiddenKeys.has(key)) return { path: here, message: 'this name is not accepted' }
    const issue = checkShape((value as Record<string, unknown>)[key], here, depth + 1)
    if (issue !== undefined) return issue
  }
  return undefined
}

export const invalidBody = (issues: readonly Issue[]) =>
  coreErrors.refuse('VALIDATION_ERROR', { message: 'Invalid body parameters', issues })

/** True when the request announces a body. */
const hasBody = (req: Request) => req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

const parsers = { json: parseJson, form: parseForm } as const
const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

const isOfType = (req: Request, type: string) => req.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === type

const megabyte = 1_048_576

/** The parsed body (`{}` when there is none), or with `raw` the exact bytes. A field that a form repeats is a list of its values. */
export const readBody = async (req: Request, res: Response, encoding: Encoding, maxRawBytes = megabyte): Promise<unknown> => {
  if (!hasBody(req)) return encoding === 'raw' ? Buffer.alloc(0) : {}
  if (encoding !== 'raw' && !isOfType(req, mediaTypes[encoding]))
    throw invalidBody([{ path: 'content-type', message: `expected ${mediaTypes[encoding]}` }])
  const parser = encoding === 'raw' ? readRaw(maxRawBytes) : parsers[encoding]
  await new Promise<void>((resolve, reject) =>
    parser(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(refusalOf(error as ParserError, encoding)))),
  )
  if (encoding === 'raw') return req.body
  const issue = checkShape(req.body, '', 0)
  if (issue !== undefined) throw invalidBody([issue])
  return req.body
}
