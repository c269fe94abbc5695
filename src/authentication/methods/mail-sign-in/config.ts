import { z } from 'zod'

/** The section `mailSignIn`. */
export const mailSignInConfig = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'People may sign in with a link or code that is sent to their address, for 10 minutes, in the browser that asked.',
      ),
    signUp: z
      .boolean()
      .default(false)
      .describe('Who has no account gets one with the first sign-in by mail, where `accounts.signUpEnabled` allows it.'),
  })
  .prefault({})
export type MailSignInConfig = z.output<typeof mailSignInConfig>
