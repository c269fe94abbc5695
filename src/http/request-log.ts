import type { Request, Response } from 'express'
import type { Log } from '../core/log.ts'

/** Path without query; segments that may be tokens or ids are masked. */
const scrubPath = (url: string) => url.split('?', 1)[0]?.replace(/(?=[\w-]*[A-Z0-9])[\w-]{20,}/g, '*')

const quiet = new Set(['/livez', '/readyz', '/ok'])

/** One line an answer: what was asked, what came of it, how long it took. Health checks and files only at `debug`. */
export const logAnswer = (log: Log, req: Request, res: Response, requestId: string, ms: number) => {
  const path = scrubPath(req.originalUrl)
  const line = { requestId, method: req.method, path, status: res.statusCode, ms: Math.round(ms * 10) / 10 }
  if (quiet.has(path ?? '') || path?.startsWith('/assets/') === true) log.debug(line, 'request')
  else log.info(line, 'request')
}
