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
      'How recent a proof must be for what changes how somebody gets in, shows a secret, makes an API key or deletes the account: ' +
        'the password, the second factor of who needs one, for users without both any sign-in; 0: a fresh session is enough.',
    ),
  addressRecoveryTtlSeconds: z
    .int()
    .min(0)
    .default(604_800)
    .describe('How long a verified address that was changed can take the account back by the link in its notice; 0: never.'),
  newDeviceMail: z.boolean().default(true).describe('Tell users by mail of a sign-in from somewhere new.'),
}
export type VerificationConfig = z.output<z.ZodObject<typeof verificationSettings>>
