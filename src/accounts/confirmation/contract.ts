import { z } from 'zod'
import { passwordInput, plainText, urlInput } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { User } from '../../users/contract.ts'

const token = plainText(4096)

export const confirmationContract = contract({
  checkVerification: {
    method: 'POST',
    path: '/verify-email/check',
    summary: 'What a verification link asks of the person who opens it',
    access: 'public',
    body: z.object({ token }),
    response: z.object({
      email: z.string(),
      /** What shows that the account is theirs; `sign-in`: only a session does. */
      asks: z.enum(['nothing', 'password', 'sign-in']),
      /** Whoever opens it may make the account theirs with a new password. */
      isClaimable: z.boolean(),
    }),
    errors: ['TOKEN_EXPIRED', 'INVALID_TOKEN', 'USER_NOT_FOUND'],
    hidden: true,
  },
  confirmEmail: {
    method: 'POST',
    path: '/verify-email',
    summary:
      'Verify an address from a page: in a session or browser of the account, with its password, or with a new one, which ends all access others have',
    access: 'public',
    body: z.object({
      token,
      password: passwordInput.optional(),
      newPassword: passwordInput.optional(),
      callbackURL: urlInput.optional(),
    }),
    response: z.object({ status: z.boolean(), url: z.string().optional(), token: z.string().nullable(), user: User }),
    errors: [
      'TOKEN_EXPIRED',
      'INVALID_TOKEN',
      'USER_NOT_FOUND',
      'INVALID_PASSWORD',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_TOO_COMMON',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
    startsSession: true,
  },
})
