import { z } from 'zod'
import { errorsOf } from '../../../core/errors.ts'
import { plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { User } from '../../../identity/users/contract.ts'
import { TwoFactorRedirect } from '../../attempts/contract.ts'

export const mailCodeContract = contract('Second factors', {
  sendOtp: {
    method: 'POST',
    path: '/two-factor/send-otp',
    summary:
      'Mail a code for the second step of a sign-in or for the session; it is also the recent proof of a person without another factor',
    access: 'public',
    body: z.object({ trustDevice: z.boolean().optional() }).optional(),
    response: z.object({ status: z.boolean() }),
    errors: ['INVALID_TWO_FACTOR_COOKIE', 'OTP_NOT_CONFIGURED'],
    limit: 'strict',
  },
  verifyOtp: {
    method: 'POST',
    path: '/two-factor/verify-otp',
    summary: 'Continue with the mailed code',
    access: 'public',
    body: z.object({ code: plainText(16), trustDevice: z.boolean().optional() }),
    response: z.union([z.object({ token: z.string(), user: User }), TwoFactorRedirect]),
    errors: [
      'INVALID_TWO_FACTOR_COOKIE',
      'OTP_NOT_CONFIGURED',
      'OTP_HAS_EXPIRED',
      '401 INVALID_CODE',
      'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
      'BANNED_USER',
    ],
    limit: 'strict',
    startsSession: true,
  },
})

/** Error codes of Better Auth. Codes that another feature defines already are left out. */
export const mailCodeErrors = errorsOf({
  OTP_NOT_CONFIGURED: [400, 'OTP is not available'],
  INVALID_CODE: [401, 'Invalid code'],
  OTP_HAS_EXPIRED: [400, 'OTP has expired'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: [400, 'Too many attempts. Please request a new code.'],
})
