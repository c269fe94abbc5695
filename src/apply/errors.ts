import { errorsOf } from '../core/errors.ts'

export const applyErrors = errorsOf({
  DECLARATION_IS_INVALID: [400, 'Declaration is invalid'],
  DECLARATION_DOES_NOT_FIT: [409, 'Declaration does not fit'],
  STATE_HAS_CHANGED: [409, 'State has changed'],
})
