import { errorsOf } from '../../core/errors.ts'

export const userErrors = errorsOf({
  USER_NOT_FOUND: [[401, 404], 'User not found'],
  USER_ALREADY_EXISTS: [422, 'User already exists'],
  THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED: [400, 'The last administrator cannot be removed'],
  ADDRESS_IS_NOT_VERIFIED: [400, 'Address is not verified'],
  INVALID_EMAIL: [400, 'Invalid email'],
  EMAIL_CAN_NOT_BE_UPDATED: [400, 'Email can not be updated'],
  FAILED_TO_UPDATE_USER: [400, 'Failed to update user'],
  NO_DATA_TO_UPDATE: [400, 'No data to update'],
  USER_NAMES_ARE_NOT_ENABLED: [400, 'User names are not enabled'],
  // Better Auth's, for names; 422 to sign-ins and questions.
  USERNAME_IS_ALREADY_TAKEN: [400, 'Username is already taken. Please try another.'],
  USERNAME_TOO_SHORT: [[400, 422], 'Username is too short'],
  USERNAME_TOO_LONG: [[400, 422], 'Username is too long'],
  INVALID_USERNAME: [[400, 422], 'Username is invalid'],
  INVALID_DISPLAY_USERNAME: [400, 'Display username is invalid'],
  USERNAME_IS_IMMUTABLE: [400, 'Username cannot be updated'],
})
