import { errorsOf } from '../../../core/errors.ts'

export const recoveryCodeErrors = errorsOf({
  // The codes of these two are those of the wire, not their messages.
  BACKUP_CODES_NOT_ENABLED: [400, "Backup codes aren't enabled"],
  TWO_FACTOR_NOT_ENABLED: [400, "Two factor isn't enabled"],
  INVALID_BACKUP_CODE: [401, 'Invalid backup code'],
})
