import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { socialErrors } from '../errors.ts'

/** Says in the log why a provider's answer was of no use, since the browser is told a code alone. */
export const createRefusals =
  (log: Log, provider: string) =>
  (code: 'INVALID_CODE' | 'UNABLE_TO_GET_USER_INFO', error: unknown): AppError => {
    if (error instanceof AppError) return error
    const reason = error instanceof Error ? error.message : 'unknown'
    log.warn({ provider, code, reason }, 'social sign-in failed')
    return socialErrors.refuse(code)
  }
