import { errorsOf } from '../../../core/errors.ts'

/** Better Auth's, but for codes that other features have. */
export const mailCodeErrors = errorsOf({
  OTP_NOT_CONFIGURED: [400, 'OTP is not available'],
  INVALID_CODE: [401, 'Invalid code'],
  OTP_HAS_EXPIRED: [400, 'OTP has expired'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: [400, 'Too many attempts. Please request a new code.'],
})
