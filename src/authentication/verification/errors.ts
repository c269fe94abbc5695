import { errorsOf } from '../../core/errors.ts'

export const verificationErrors = errorsOf({
  TOKEN_EXPIRED: [401, 'token_expired'],
  INVALID_TOKEN: [[401, 400, 404], 'invalid_token'],
  VERIFICATION_EMAIL_ISNT_ENABLED: [400, "Verification email isn't enabled"],
  YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL: [
    400,
    'You can only send a verification email to an unverified email',
  ],
  YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL: [400, 'You can only send a verification email to your own email'],
  CHANGE_EMAIL_IS_DISABLED: [400, 'Change email is disabled'],
  EMAIL_IS_THE_SAME: [400, 'Email is the same'],
  COULDNT_UPDATE_YOUR_EMAIL: [400, "Couldn't update your email"],
  ANOTHER_ACCOUNT_HAS_THIS_ADDRESS: [400, 'Another account has this address'],
})
