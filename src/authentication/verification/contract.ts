import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { daySeconds, hourSeconds } from '../../core/time.ts'
import { emailInput, instant, plainText, urlInput } from '../../core/wire.ts'
import { contract, jsonOrRedirect } from '../../http/contract.ts'
import { User } from '../../identity/users/contract.ts'

/** A sign-in method other than mail and password. Owners see all of them, so that they can remove methods that they do not know. */
export const WayIn = z.object({
  kind: z.enum(['provider', 'passkey', 'security-key', 'totp']),
  /** The id of an identity provider, or the name that the owner has given to the method. */
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
      'Verify or change an address with the token from the mail, in a session or browser of the account; redirects if a callbackURL is given',
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
      'Answer a notice with "this was not me": ends all sessions and tokens, replaces the password by a mailed link, and removes the added sign-in methods',
    access: 'anonymous',
    body: z.object({ token: plainText(64) }),
    response: z.object({
      status: z.boolean(),
      /** The mail address to which the notice was sent. */
      email: z.string(),
      /**
       * True if a link for setting a new password was mailed. False if the user had no password, or if links cannot set passwords on this
       * server.
       */
      isNewPasswordMailed: z.boolean(),
      /** The sign-in methods other than mail that are left. Owners can remove methods that they do not know. */
      waysIn: z.array(WayIn),
      /** The sign-in methods that were removed: the methods that the notice reported, and the methods that were added later. */
      removed: z.array(WayIn),
    }),
    errors: ['400 INVALID_TOKEN'],
    limit: 'strict',
  },
  changeEmail: {
    method: 'POST',
    path: '/change-email',
    summary: 'Change the address: an unverified address changes at once, and a verified address after a confirmation from it',
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

/** Settings in the section `accounts`. */
export const verificationSettings = {
  signInAfterVerification: z
    .boolean()
    .default(false)
    .describe('Following the verification link starts a session.')
    .meta({ weakened: 'on' }),
  verificationMailEnabled: z
    .boolean()
    .default(true)
    .describe('Mail links that verify an address; without them a verified address cannot be changed either.')
    .meta({ weakened: 'off' }),
  verificationTtlSeconds: z
    .int()
    .min(60)
    .max(2_592_000)
    .default(hourSeconds)
    .describe('Life of a verification link.')
    .meta({ weakened: 'higher' }),
  resetTtlSeconds: z
    .int()
    .min(60)
    .max(2_592_000)
    .default(hourSeconds)
    .describe('Life of a password reset link.')
    .meta({ weakened: 'higher' }),
  deletionTtlSeconds: z
    .int()
    .min(60)
    .max(2_592_000)
    .default(daySeconds)
    .describe('Life of a link that deletes an account.')
    .meta({ weakened: 'higher' }),
  changeEmailEnabled: z.boolean().default(true).describe('Users may change their address.').meta({ weakened: 'never' }),
  changeEmailPasswordSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe(
      'How recent a proof must be for calls that change sign-in methods, show a secret, make an API key or delete the account. The proof is ' +
        'the password or, for users who need one, the second factor; for users without both, any sign-in. 0: a fresh session is enough.',
    ),
  addressRecoveryTtlSeconds: z
    .int()
    .min(0)
    .max(34_560_000)
    .default(604_800)
    .describe('How long a verified address that was changed can take the account back by the link in its notice; 0: never.'),
  newDeviceMail: z
    .boolean()
    .default(true)
    .describe('Tell users by mail of a sign-in from somewhere new.')
    .meta({ weakened: 'off' }),
}
export type VerificationConfig = z.output<z.ZodObject<typeof verificationSettings>>
