import { errorsOf } from '../../core/errors.ts'

export const attemptErrors = errorsOf({
  EMAIL_NOT_VERIFIED: [403, 'Email not verified'],
  TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD: [429, 'Too many wrong passwords. Reset your password.'],
})
