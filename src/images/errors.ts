import { errorsOf } from '../core/errors.ts'

export const imageErrors = errorsOf({
  INVALID_IMAGE: [400, 'Invalid image'],
})
