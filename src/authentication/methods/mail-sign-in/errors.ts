import { errorsOf } from '../../../core/errors.ts'

export const mailSignInErrors = errorsOf({
  SIGN_IN_BY_MAIL_IS_NOT_ENABLED: [400, 'Sign-in by mail is not enabled'],
  INVALID_OTP: [400, 'Invalid OTP'],
  OTP_EXPIRED: [400, 'OTP expired'],
  TOO_MANY_ATTEMPTS: [403, 'Too many attempts'],
  ONLY_CODES_FOR_SIGN_IN_ARE_SENT: [400, 'Only codes for sign-in are sent'],
  OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED: [403, 'Open the link in the browser in which you asked for it'],
})
