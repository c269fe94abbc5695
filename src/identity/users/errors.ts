import { errorsOf } from '../../core/errors.ts'

export const userErrors = errorsOf({
  USER_NOT_FOUND: [401, 'User not found'],
  USER_ALREADY_EXISTS: [422, 'User already exists'],
  THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED: [400, 'The last administrator cannot be removed'],
  INVALID_EMAIL: [400, 'Invalid email'],
  EMAIL_CAN_NOT_BE_UPDATED: [400, 'Email can not be updated'],
  FAILED_TO_UPDATE_USER: [400, 'Failed to update user'],
  NO_DATA_TO_UPDATE: [400, 'No data to update'],
})
