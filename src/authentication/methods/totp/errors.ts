import { errorsOf } from '../../../core/errors.ts'

export const totpErrors = errorsOf({
  TOTP_NOT_ENABLED: [400, 'TOTP not enabled'],
  // Its code is that of the wire, not its message.
  TOTP_ALREADY_ENABLED: [400, 'TOTP is already enabled'],
  INVALID_CODE: [401, 'Invalid code'],
})
