import { z } from 'zod'
import { emailInput, instant, plainText, urlInput } from '../../core/wire.ts'
import { contract, jsonOrRedirect } from '../../http/contract.ts'
import { User } from '../../identity/users/contract.ts'

/** Something that signs in to an account besides mail and password: its owner removes what is not theirs. */
export const WayIn = z.object({
  kind: z.enum(['provider', 'passkey', 'security-key', 'totp']),
  /** Id of a provider, else what its owner calls it. */
  name: z.string().nullable(),
  addedAt: instant.nullable(),
})

export const verificationContract = contract('Email verification', {
  sendVerificationEmail: {
    method: 'POST',
    path: '/send-verification-email',
    summary: 'Mail a link that verifies the address',
    access: 'public',
    body: z.object({ email: emailInput, callbackURL: urlInput.optional() }),
    response: z.object({ status: z.boolean() }),
    errors: [
      'VERIFICATION_EMAIL_ISNT_ENABLED',
      'INVALID_EMAIL',
      'YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL',
      'YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
  },
  verifyEmail: {
    method: 'GET',
    path: '/verify-email',
    changes: true,
    summary:
      'Verify or change an address with the token from the mail, in a session or browser of the account; redirects when a callbackURL is given',
    access: 'public',
    query: z.object({ token: plainText(4096), callbackURL: urlInput.optional() }),
    response: jsonOrRedirect(z.object({ status: z.boolean(), user: User.nullable() })),
    errors: [
      'UNAUTHORIZED',
      'TOKEN_EXPIRED',
      '401 INVALID_TOKEN',
      '401 USER_NOT_FOUND',
      'BANNED_USER',
      'COULDNT_UPDATE_YOUR_EMAIL',
    ],
    urls: ['callbackURL'],
  },
  reportActivity: {
    method: 'POST',
    path: '/not-me',
    summary:
      'Say, with the token of a notice, that it was not you: ends all sessions, tokens and remembered browsers; the password signs in no more, a link to a new one is mailed, and what the notice tells of or was added after it is removed',
    access: 'anonymous',
    body: z.object({ token: plainText(64) }),
    response: z.object({
      status: z.boolean(),
      /** The address that the notice went to. */
      email: z.string(),
      /** A link to a new password is on its way; false where the user has none, or none can be set by mail. */
      isNewPasswordMailed: z.boolean(),
      /** What signs in to the account still, besides mail: its owner removes what is not theirs. */
      waysIn: z.array(WayIn),
      /** What was removed: what the notice told of, and what was added after it. */
      removed: z.array(WayIn),
    }),
    errors: ['400 INVALID_TOKEN'],
    limit: 'strict',
  },
  changeEmail: {
    method: 'POST',
    path: '/change-email',
    summary: 'Change the address: at once while it is unverified, else after a confirmation from the current one',
    access: { permission: 'account:update', session: true },
    body: z.object({ newEmail: emailInput, callbackURL: urlInput.optional() }),
    response: z.object({ status: z.boolean() }),
    errors: [
      'SESSION_IS_NOT_FRESH',
      'CHANGE_EMAIL_IS_DISABLED',
      'INVALID_EMAIL',
      'EMAIL_IS_THE_SAME',
      'COULDNT_UPDATE_YOUR_EMAIL',
      'VERIFICATION_EMAIL_ISNT_ENABLED',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
  },
})
