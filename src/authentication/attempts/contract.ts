import { z } from 'zod'

/** The answer of a sign-in whose proof is right and not enough; a cookie holds it for the next step (wire behaviour, section 5). */
export const TwoFactorRedirect = z
  .object({
    twoFactorRedirect: z.literal(true),
    /** What can be proven next: `totp`, `otp` (mailed code), `passkey`, `security-key`, `recovery-code`. Empty: a second factor has to be added. */
    twoFactorMethods: z.array(z.string()),
  })
  .meta({ id: 'TwoFactorRedirect' })
