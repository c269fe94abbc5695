import { errorsOf } from '../../../core/errors.ts'

export const passwordErrors = errorsOf({
  INVALID_EMAIL_OR_PASSWORD: [401, 'Invalid email or password'],
  INVALID_USERNAME_OR_PASSWORD: [401, 'Invalid username or password'],
  PASSWORD_TOO_SHORT: [400, 'Password too short'],
  PASSWORD_TOO_LONG: [400, 'Password too long'],
  PASSWORD_TOO_COMMON: [400, 'Password too common'],
  PASSWORD_WAS_LEAKED: [400, 'Password was leaked'],
  BREACHED_LIST_IS_INVALID: [400, 'Breached list is invalid'],
  EMAIL_AND_PASSWORD_IS_NOT_ENABLED: [400, 'Email and password is not enabled'],
  EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED: [400, 'Email and password sign up is not enabled'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: [400, 'Credential account not found'],
  INVALID_PASSWORD: [400, 'Invalid password'],
  USER_ALREADY_HAS_A_PASSWORD: [400, 'user already has a password'],
  RECOVERY_NEEDS_A_VERIFIED_ADDRESS: [400, 'The address of the user was never verified: set a password with set-password'],
  RESET_PASSWORD_ISNT_ENABLED: [400, "Reset password isn't enabled"],
})
