import type { Request, Response } from 'express'
import type { Log } from '../core/log.ts'

/** Nobody reads more of a path, and a line must not grow with what a stranger sends. */
const longestPath = 256

/** Path without query; runs that may be tokens or ids are masked, before the cut would make them short. */
const scrubPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').replace(/[\w-]{20,}/g, (run) => (/[A-Z0-9]/.test(run) ? '*' : run)).slice(0, longestPath)

const quiet = new Set(['/livez', '/readyz', '/ok'])

/**
 * One line an answer: what was asked, what came of it, how long it took. Health checks and files only at `debug`. An answer that did not
 * get out whole has no status: the caller was gone.
 */
export const logAnswer = (log: Log, req: Request, res: Response, requestId: string, ms: number) => {
  const path = scrubPath(req.originalUrl)
  const isWhole = res.writableFinished
  const outcome = isWhole ? { status: res.statusCode } : { aborted: true }
  const line = { requestId, method: req.method, path, ...outcome, ms: Math.round(ms * 10) / 10 }
  if (quiet.has(path) || path.startsWith('/assets/')) log.debug(line, isWhole ? 'request' : 'request aborted')
  else log.info(line, isWhole ? 'request' : 'request aborted')
}
