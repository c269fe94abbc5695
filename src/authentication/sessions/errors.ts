import { errorsOf } from '../../core/errors.ts'

export const sessionErrors = errorsOf({
  FAILED_TO_GET_SESSION: [400, 'Failed to get session'],
  SESSION_NOT_FOUND: [400, 'Session not found'],
})
