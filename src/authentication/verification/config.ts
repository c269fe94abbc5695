import { z } from 'zod'
import { daySeconds, hourSeconds } from '../../core/time.ts'

/** Its keys of the section `accounts`. */
export const verificationSettings = {
  signInAfterVerification: z.boolean().default(false).describe('Following the verification link starts a session.'),
  verificationMailEnabled: z
    .boolean()
    .default(true)
    .describe('Mail links that verify an address; without them a verified address cannot be changed either.'),
  verificationTtlSeconds: z.int().min(60).default(hourSeconds).describe('Life of a verification link.'),
  resetTtlSeconds: z.int().min(60).default(hourSeconds).describe('Life of a password reset link.'),
  deletionTtlSeconds: z.int().min(60).default(daySeconds).describe('Life of a link that deletes an account.'),
  changeEmailEnabled: z.boolean().default(true).describe('Users may change their address.'),
  changeEmailPasswordSeconds: z
    .int()
    .min(0)
    .default(600)
    .describe(
      'A change of address needs a sign-in with the password at most this long ago (any sign-in for users without one), ' +
        'besides a fresh session; 0: only the fresh session.',
    ),
  addressRecoveryTtlSeconds: z
    .int()
    .min(0)
    .default(604_800)
    .describe('How long a verified address that was changed can take the account back by the link in its notice; 0: never.'),
  newDeviceMail: z.boolean().default(true).describe('Tell users by mail of a sign-in from somewhere new.'),
}
export type VerificationConfig = z.output<z.ZodObject<typeof verificationSettings>>
