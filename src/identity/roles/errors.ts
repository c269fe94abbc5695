import { errorsOf } from '../../core/errors.ts'

export const roleErrors = errorsOf({
  ROLE_IS_NOT_KNOWN: [400, 'Role is not known'],
})
