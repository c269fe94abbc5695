import { z } from 'zod'
import { emailInput, passwordInput, plainText, urlInput } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { User } from '../../users/contract.ts'

const tokenInput = plainText(256)
const status = z.object({ status: z.boolean() })

export const RequestPasswordReset = z.object({ email: emailInput, redirectTo: urlInput.optional() })

export const ChangePassword = z.object({
  newPassword: passwordInput,
  currentPassword: passwordInput,
  revokeOtherSessions: z.boolean().optional(),
})

const requestReset = {
  method: 'POST',
  summary: 'Mail a link with which a new password can be set; unknown addresses are answered alike',
  access: 'public',
  body: RequestPasswordReset,
  response: z.object({ status: z.boolean(), message: z.string().optional() }),
  errors: ['RESET_PASSWORD_ISNT_ENABLED', 'INVALID_EMAIL'],
  limit: 'strict',
  urls: ['redirectTo'],
} as const

const passwordProblems = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG', 'PASSWORD_TOO_COMMON'] as const

export const passwordContract = contract({
  requestPasswordReset: { ...requestReset, path: '/request-password-reset' },
  forgetPassword: { ...requestReset, path: '/forget-password' },
  followResetLink: {
    method: 'GET',
    path: '/reset-password/:token',
    summary:
      'Where the mailed link leads: redirects to callbackURL with the token, or with error=INVALID_TOKEN; consumes nothing',
    access: 'anonymous',
    params: z.object({ token: tokenInput }),
    // The key is required; empty means that nowhere was given.
    query: z.object({ callbackURL: urlInput.transform((url) => (url === '' ? undefined : url)) }),
    response: z.never(),
    errors: [],
    urls: ['callbackURL'],
  },
  resetPassword: {
    method: 'POST',
    path: '/reset-password',
    summary: 'Set a new password with the token of a reset link; ends all sessions',
    access: 'anonymous',
    query: z.object({ token: tokenInput.optional() }),
    body: z.object({ newPassword: passwordInput, token: tokenInput.optional() }),
    response: status,
    errors: ['RESET_PASSWORD_ISNT_ENABLED', 'INVALID_TOKEN', ...passwordProblems],
    limit: 'strict',
  },
  changePassword: {
    method: 'POST',
    path: '/change-password',
    summary:
      'Replace the password; with revokeOtherSessions a new session takes the place of all others, and what applications hold ends',
    access: 'session',
    body: ChangePassword,
    response: z.object({ token: z.string().nullable(), user: User }),
    errors: [
      ...passwordProblems,
      'INVALID_PASSWORD',
      'CREDENTIAL_ACCOUNT_NOT_FOUND',
      'SESSION_IS_NOT_FRESH',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
    ],
    limit: 'strict',
  },
})
