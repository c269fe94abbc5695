import { errorsOf } from '../../core/errors.ts'

export const secondFactorErrors = errorsOf({
  THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED: [403, 'The last second factor cannot be removed'],
})
