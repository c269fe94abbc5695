import { errorsOf } from '../../core/errors.ts'

export const identityErrors = errorsOf({
  ACCOUNT_NOT_FOUND: [400, 'Account not found'],
})
