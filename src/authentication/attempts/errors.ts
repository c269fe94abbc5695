import { errorsOf } from '../../core/errors.ts'

export const attemptErrors = errorsOf({
  // Its code is that of the wire (section 1), not its message.
  BANNED_USER: [403, 'You have been banned from this application. Please contact support if you believe this is an error.'],
  EMAIL_NOT_VERIFIED: [403, 'Email not verified'],
  // Better Auth's, for a sign-in between its steps whose time is over.
  INVALID_TWO_FACTOR_COOKIE: [401, 'Invalid two factor cookie'],
  TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD: [429, 'Too many wrong passwords. Reset your password.'],
})
