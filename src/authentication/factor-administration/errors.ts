import { errorsOf } from '../../core/errors.ts'

export const factorAdministrationErrors = errorsOf({
  RECOVERY_CODES_GO_WITH_THE_LAST_SECOND_FACTOR: [409, 'Recovery codes go with the last second factor'],
})
