import { errorsOf } from '../core/errors.ts'

export const statisticsErrors = errorsOf({
  RANGE_OF_DAYS_IS_NOT_VALID: [400, 'Range of days is not valid'],
})
