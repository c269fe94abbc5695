import { z } from 'zod'
import { emailInput, instant, passwordInput, plainText, urlInput } from '../../../../core/wire.ts'
import { contract, redirect } from '../../../../http/contract.ts'
import { User } from '../../../../identity/users/contract.ts'
import { WayIn } from '../../../verification/contract.ts'

const tokenInput = plainText(256)
const linkToken = plainText(4096)
const recoveryToken = plainText(64)
const status = z.object({ status: z.boolean() })

export const RequestPasswordReset = z.object({ email: emailInput, redirectTo: urlInput.optional() })

export const ChangePassword = z.object({
  newPassword: passwordInput,
  currentPassword: passwordInput,
  revokeOtherSessions: z.boolean().optional(),
})

const requestReset = {
  method: 'POST',
  summary: 'Mail a link for setting a new password; the response does not reveal whether the address has an account',
  access: 'public',
  body: RequestPasswordReset,
  response: z.object({ status: z.boolean(), message: z.string().optional() }),
  errors: ['RESET_PASSWORD_ISNT_ENABLED', 'INVALID_EMAIL'],
  limit: 'strict',
  proofOfWork: 'reset',
  urls: ['redirectTo'],
} as const

const passwordProblems = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG', 'PASSWORD_TOO_COMMON', 'PASSWORD_WAS_LEAKED'] as const

export const newPasswordContract = contract('Passwords', {
  requestPasswordReset: { ...requestReset, path: '/request-password-reset' },
  forgetPassword: { ...requestReset, path: '/forget-password' },
  followResetLink: {
    method: 'GET',
    path: '/reset-password/:token',
    summary: 'Redirect from the mailed link to callbackURL, with the token or with error=INVALID_TOKEN; the link stays valid',
    access: 'anonymous',
    params: z.object({ token: tokenInput }),
    // The parameter has to be present. If it is empty, there is no URL to return to.
    query: z.object({ callbackURL: urlInput.transform((url) => (url === '' ? undefined : url)) }),
    response: redirect,
    errors: [],
    urls: ['callbackURL'],
  },
  checkReset: {
    method: 'POST',
    path: '/reset-password/check',
    summary:
      'Get the account that another person created with the address of a reset link, to ask the owner about it; the link stays valid',
    access: 'anonymous',
    body: z.object({ token: tokenInput }),
    response: z.object({
      /** The mail address of the account. Password managers store it together with the password. */
      email: z.string(),
      /**
       * The account that another person has created with this mail address, about which the owner has to decide; null if there is nothing
       * to decide.
       */
      account: z
        .object({
          email: z.string(),
          createdAt: instant,
          organizations: z.array(z.object({ name: z.string(), role: z.string(), memberCount: z.int() })),
          apiKeys: z.int(),
          /** The number of open invitations to organizations that the account has. */
          invitations: z.int(),
          /**
           * True if the owner of the mail address may get a new account instead. It is false if nobody can sign up; the owner then takes
           * over the account.
           */
          mayStartFresh: z.boolean(),
        })
        .nullable(),
    }),
    errors: ['RESET_PASSWORD_ISNT_ENABLED', '400 INVALID_TOKEN'],
    hidden: true,
  },
  resetPassword: {
    method: 'POST',
    path: '/reset-password',
    summary: 'Set a new password with the token of a reset link; all sessions end',
    access: 'anonymous',
    query: z.object({ token: tokenInput.optional() }),
    body: z.object({
      newPassword: passwordInput,
      token: tokenInput.optional(),
      /**
       * What happens if another person has created an account with the owner's mail address. `start-fresh`: the owner gets a new account,
       * and the existing account keeps everything except the address. `take-over`: the owner gets the existing account. If the field is
       * absent, the owner does not get an account that is in an organization or has API keys.
       */
      account: z.enum(['start-fresh', 'take-over']).optional(),
    }),
    response: status.extend({
      /** Present only if an account was taken over: its organizations, with the other members. */
      organizations: z
        .array(
          z.object({
            ...{ id: z.string(), name: z.string(), memberCount: z.int() },
            members: z.array(z.object({ name: z.string(), email: z.string(), role: z.string() })),
          }),
        )
        .optional(),
    }),
    errors: ['RESET_PASSWORD_ISNT_ENABLED', '400 INVALID_TOKEN', 'BANNED_USER', ...passwordProblems],
    limit: 'strict',
  },
  changePasswordPage: {
    method: 'GET',
    path: '/.well-known/change-password',
    summary: 'Redirect to the page for changing the password (W3C, A Well-Known URL for Changing Passwords)',
    access: 'anonymous',
    response: redirect,
    errors: ['NOT_FOUND'],
  },
  changePassword: {
    method: 'POST',
    path: '/change-password',
    summary:
      'Change the password; with revokeOtherSessions, a new session replaces all others and the tokens of applications end',
    access: { permission: 'account:update', session: true },
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
  verifyPassword: {
    method: 'POST',
    path: '/verify-password',
    summary: 'Prove the password again; the session is fresh afterwards, unless the user has a second factor',
    access: { permission: 'account:update', session: true },
    body: z.object({ password: passwordInput }),
    response: status,
    errors: [
      'INVALID_TWO_FACTOR_COOKIE',
      'INVALID_PASSWORD',
      'CREDENTIAL_ACCOUNT_NOT_FOUND',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
    ],
    limit: 'strict',
  },
  checkVerification: {
    method: 'POST',
    path: '/verify-email/check',
    summary: 'Get the proof that the person who opens a verification link has to give',
    access: 'public',
    body: z.object({ token: linkToken }),
    response: z.object({
      email: z.string(),
      /** The proof of ownership that the page has to ask for. `sign-in` means that the person has to be signed in. */
      asks: z.enum(['nothing', 'password', 'sign-in']),
      /** True if the reader of the link may claim the account by setting a new password. */
      isClaimable: z.boolean(),
    }),
    errors: ['TOKEN_EXPIRED', '401 INVALID_TOKEN', '401 USER_NOT_FOUND', 'BANNED_USER'],
    hidden: true,
  },
  confirmEmail: {
    method: 'POST',
    path: '/verify-email',
    summary:
      'Verify an address from a page: in a session or browser of the account, or with its password; with a new password, all earlier access ends',
    access: 'public',
    body: z.object({
      token: linkToken,
      password: passwordInput.optional(),
      newPassword: passwordInput.optional(),
      callbackURL: urlInput.optional(),
    }),
    response: z.object({ status: z.boolean(), url: z.string().optional(), token: z.string().nullable(), user: User }),
    errors: [
      'UNAUTHORIZED',
      'TOKEN_EXPIRED',
      '401 INVALID_TOKEN',
      '401 USER_NOT_FOUND',
      'BANNED_USER',
      'INVALID_PASSWORD',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
      ...passwordProblems,
    ],
    limit: 'strict',
    urls: ['callbackURL'],
    startsSession: true,
  },
  checkRecovery: {
    method: 'POST',
    path: '/recover-address/check',
    summary: 'Get the address that a recovery link restores; the link stays valid',
    access: 'anonymous',
    body: z.object({ token: recoveryToken }),
    response: z.object({ email: z.string() }),
    errors: ['400 INVALID_TOKEN'],
    hidden: true,
  },
  recoverAddress: {
    method: 'POST',
    path: '/recover-address',
    summary:
      'Give an account back to its former address: restores the address, sets a new password where passwords can sign in, and ends all sessions',
    access: 'anonymous',
    body: z.object({ token: recoveryToken, newPassword: passwordInput.optional() }),
    /** `waysIn` lists the sign-in methods that the account still has. A thief may have added some of them. */
    response: z.object({ status: z.boolean(), waysIn: z.array(WayIn) }),
    errors: ['400 INVALID_TOKEN', 'BANNED_USER', 'ANOTHER_ACCOUNT_HAS_THIS_ADDRESS', ...passwordProblems],
    limit: 'strict',
    startsSession: true,
  },
})
