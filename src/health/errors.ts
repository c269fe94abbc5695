import { errorsOf } from '../core/errors.ts'

export const healthErrors = errorsOf({
  NOT_READY: [503, 'Not ready'],
})
