import { errorsOf } from '../core/errors.ts'

export const organizationErrors = errorsOf({
  ORGANIZATION_ALREADY_EXISTS: [400, 'Organization already exists'],
})
