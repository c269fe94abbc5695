import { z } from 'zod'
import { urlInput } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** The answer of a sign-in whose proof is right and not enough; a cookie holds it for the next step (wire behaviour, section 5). */
export const TwoFactorRedirect = z
  .object({
    twoFactorRedirect: z.literal(true),
    /** What can be proven next: `totp`, `otp` (mailed code), `passkey`, `security-key`, `recovery-code`. Empty: a second factor has to be added. */
    twoFactorMethods: z.array(z.string()),
  })
  .meta({ id: 'TwoFactorRedirect' })

export const pendingSignInContract = contract('Second factors', {
  pendingSignIn: {
    method: 'GET',
    path: '/two-factor/pending',
    summary: 'What the page of the second step asks for: of the sign-in that waits in this browser, else of the session',
    access: 'public',
    /** Where the page goes afterwards: the page may only go where the server agrees. */
    query: z.object({ callbackURL: urlInput.optional() }),
    response: z.object({
      /** What can be proven, by the names of methods. Empty: a second factor has to be added. */
      methods: z.array(z.string()),
      mustEnrol: z.boolean(),
      /** `session`: somebody who is signed in proves themselves again. */
      origin: z.enum(['pending', 'session']),
      /** For how many days this browser may be remembered; 0: it may not. */
      rememberDays: z.int(),
      /** The beginning of the address that codes are mailed to, and its domain. */
      email: z.string(),
    }),
    errors: ['INVALID_TWO_FACTOR_COOKIE'],
    urls: ['callbackURL'],
    hidden: true,
  },
})
