import { errorsOf } from '../../core/errors.ts'

export const identityErrors = errorsOf({
  YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT: [400, "You can't unlink your last account"],
  ACCOUNT_NOT_FOUND: [400, 'Account not found'],
})
