import { errorsOf } from '../core/errors.ts'

export const setupErrors = errorsOf({
  SETUP_LINK_IS_NOT_VALID: [400, 'Setup link is not valid'],
  ADMINISTRATOR_ALREADY_EXISTS: [400, 'Administrator already exists'],
})
