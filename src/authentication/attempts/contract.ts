import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'
import { urlInput } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/**
 * The answer to a sign-in whose proof is correct but not enough. A cookie identifies the sign-in in its next step (wire behaviour,
 * section 5).
 */
export const TwoFactorRedirect = z
  .object({
    twoFactorRedirect: z.literal(true),
    /**
     * The methods by which the user can give the next proof: `totp`, `otp` (a mailed code), `passkey`, `security-key`, `recovery-code`.
     * The list is empty if the user has to add a second factor first.
     */
    twoFactorMethods: z.array(z.string()),
  })
  .meta({ id: 'TwoFactorRedirect' })

export const pendingSignInContract = contract('Second factors', {
  pendingSignIn: {
    method: 'GET',
    path: '/two-factor/pending',
    summary: 'Get what the page of the second step shows, for the pending sign-in of this browser or else for the session',
    access: 'public',
    /** The URL of the page to open after the sign-in. The server accepts only trusted URLs. */
    query: z.object({ callbackURL: urlInput.optional() }),
    response: z.object({
      /** The names of the methods that the user can use next. The list is empty if the user has to add a second factor first. */
      methods: z.array(z.string()),
      mustEnrol: z.boolean(),
      /** `pending`: a sign-in whose first step is done. `session`: a signed-in person proves their identity again. */
      origin: z.enum(['pending', 'session']),
      /** The number of days for which a second factor may be skipped in this browser; 0 if it may not be skipped. */
      rememberDays: z.int(),
      /** The mail address to which codes are sent. Only its beginning and its domain are shown. */
      email: z.string(),
    }),
    errors: ['INVALID_TWO_FACTOR_COOKIE'],
    urls: ['callbackURL'],
    hidden: true,
  },
})

export const attemptErrors = errorsOf({
  // The specification prescribes this error code (section 1), so it is not derived from the message.
  BANNED_USER: [403, 'You have been banned from this application. Please contact support if you believe this is an error.'],
  EMAIL_NOT_VERIFIED: [403, 'Email not verified'],
  // The error of Better Auth for a sign-in that has expired between its steps.
  INVALID_TWO_FACTOR_COOKIE: [401, 'Invalid two factor cookie'],
  TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD: [429, 'Too many wrong passwords. Reset your password.'],
})

const scope = z
  .enum(['all', 'some'])
  .describe('all: every browser that the account does not know; some: one network, browser or session')

export const attemptEvents = defineEvents({
  'user.locked': {
    summary:
      'After too many wrong passwords in a row, the password has to be reset. Each lock is recorded once. The actor sent the last wrong password.',
    subject: 'user',
    data: z.object({ scope, failures: z.number() }),
  },
  'user.throttled': {
    summary:
      'After wrong passwords from several networks, every browser that the account does not know has to wait, if its network has sent some too. Recorded when the wait starts, at most once a day.',
    subject: 'user',
    data: z.object({ failures: z.number(), until: z.iso.datetime() }),
  },
})

/** Settings in the section `accounts`. */
export const attemptSettings = {
  requireEmailVerification: z.boolean().default(false).describe('Sign-in needs a verified address.').meta({ weakened: 'off' }),
  guessing: z
    .strictObject({
      freeAttempts: z
        .int()
        .min(3)
        .max(1_000)
        .default(10)
        .describe(
          'Wrong passwords for one account before further attempts have to wait. Known browsers are counted by themselves.',
        )
        .meta({ weakened: 'higher' }),
      windowSeconds: z
        .int()
        .min(60)
        .max(86_400)
        .default(900)
        .describe('Wrong passwords longer ago than this no longer slow down.')
        .meta({ weakened: 'lower' }),
      firstWaitSeconds: z
        .int()
        .min(1)
        .max(3_600)
        .default(15)
        .describe('The first wait; doubles with each further wrong password.')
        .meta({ weakened: 'lower' }),
      longestWaitSeconds: z.int().min(1).max(86_400).default(900).describe('The longest wait.').meta({ weakened: 'lower' }),
      resetAfter: z
        .int()
        .min(10)
        .max(100_000)
        .default(100)
        .describe('Wrong passwords in a row after which only a reset lets the password in.')
        .meta({ weakened: 'higher' }),
      keptSeconds: z
        .int()
        .min(3600)
        .max(2_592_000)
        .default(86_400)
        .describe('How long after the last wrong password a count is kept, in seconds; a lock is kept for 90 days.')
        .meta({ weakened: 'lower' }),
      mostKept: z
        .int()
        .min(1000)
        .max(10_000_000)
        .default(100_000)
        .describe('Counts of wrong passwords kept in all; beyond it the oldest go, whether their address is known or not.')
        .meta({ weakened: 'lower' }),
    })
    .prefault({}),
}
