import type { Response } from 'express'
import { isUnavailable } from '../core/database.ts'
import { AppError, coreErrors } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { RequestAborted } from './body.ts'

/** Answers with JSON that nobody may keep. */
export const sendJson = (res: Response, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
  // Text, not a buffer: headers and body leave in one write.
  const body = JSON.stringify(value)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  })
  res.end(body)
}

/** The only place that writes an error body. */
export const sendError = (res: Response, error: unknown, requestId: string, log: Log): void => {
  // An answer that was cut off is a line of its own already.
  if (res.headersSent || error instanceof RequestAborted) {
    res.destroy()
    return
  }
  if (isUnavailable(error)) log.error({ err: error, requestId }, 'database unavailable')
  const refusal = isUnavailable(error) ? coreErrors.refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5 }) : error
  if (!(refusal instanceof AppError)) {
    log.error({ err: error, requestId }, 'unhandled error')
    sendJson(res, 500, { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error', requestId })
    return
  }
  const { status, code, message, issues, retryAfterSeconds, oauthError } = refusal
  const wait = retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds)
  sendJson(
    res,
    status,
    oauthError === undefined
      ? { code, message, ...(issues === undefined ? {} : { issues }) }
      : { error: oauthError, error_description: message },
    wait === undefined ? {} : { 'Retry-After': wait, 'X-Retry-After': wait },
  )
}
