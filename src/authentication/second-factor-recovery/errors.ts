import { errorsOf } from '../../core/errors.ts'

export const recoveryErrors = errorsOf({
  SECOND_FACTOR_RECOVERY_NOT_AVAILABLE: [403, 'The second factors of this account cannot be removed after a wait'],
  SECOND_FACTOR_RECOVERY_NOT_READY: [409, 'The wait is not over, or there is none'],
  SECOND_FACTOR_RECOVERY_NOT_FOUND: [404, 'There is nothing to cancel'],
  // As of mailed codes.
  INVALID_CODE: [401, 'Invalid code'],
  OTP_HAS_EXPIRED: [400, 'OTP has expired'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: [400, 'Too many attempts. Please request a new code.'],
})
