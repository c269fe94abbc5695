import { errorsOf } from '../core/errors.ts'

export const organizationErrors = errorsOf({
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: [400, 'You cannot leave the organization as the only owner'],
  ORGANIZATION_ALREADY_EXISTS: [400, 'Organization already exists'],
})
