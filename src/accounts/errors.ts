import { errorsOf } from '../core/errors.ts'

export const accountErrors = errorsOf({
  INVALID_EMAIL: [400, 'Invalid email'],
  INVALID_EMAIL_OR_PASSWORD: [401, 'Invalid email or password'],
  EMAIL_NOT_VERIFIED: [403, 'Email not verified'],
  PASSWORD_TOO_SHORT: [400, 'Password too short'],
  PASSWORD_TOO_LONG: [400, 'Password too long'],
  PASSWORD_TOO_COMMON: [400, 'Password too common'],
  EMAIL_AND_PASSWORD_IS_NOT_ENABLED: [400, 'Email and password is not enabled'],
  EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED: [400, 'Email and password sign up is not enabled'],
  YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL: [
    400,
    'You can only send a verification email to an unverified email',
  ],
  YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL: [400, 'You can only send a verification email to your own email'],
  FAILED_TO_GET_USER_INFO: [404, 'Failed to get user info'],
  ACCOUNT_NOT_FOUND: [400, 'Account not found'],
  TOKEN_EXPIRED: [401, 'token_expired'],
  INVALID_TOKEN: [401, 'invalid_token'],
})
