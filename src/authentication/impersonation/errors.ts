import { errorsOf } from '../../core/errors.ts'

export const impersonationErrors = errorsOf({
  YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS: [403, 'You are not allowed to impersonate users'],
  YOU_CANNOT_IMPERSONATE_ADMINS: [403, 'You cannot impersonate admins'],
  YOU_CANNOT_IMPERSONATE_YOURSELF: [400, 'You cannot impersonate yourself'],
  YOU_ARE_NOT_IMPERSONATING_ANYONE: [400, 'You are not impersonating anyone'],
  A_REASON_IS_REQUIRED: [400, 'A reason is required'],
  FAILED_TO_FIND_ADMIN_SESSION: [400, 'Failed to find admin session'],
})
