import { z } from 'zod'

/** Its keys of the section `accounts`. */
export const attemptSettings = {
  requireEmailVerification: z.boolean().default(false).describe('Sign-in needs a verified address.'),
  guessing: z
    .strictObject({
      freeAttempts: z
        .int()
        .min(3)
        .default(10)
        .describe(
          'Wrong passwords for one account before further attempts have to wait. Known browsers are counted by themselves.',
        ),
      windowSeconds: z.int().min(60).default(900).describe('Wrong passwords longer ago than this no longer slow down.'),
      firstWaitSeconds: z.int().min(1).default(15).describe('The first wait; doubles with each further wrong password.'),
      longestWaitSeconds: z.int().min(1).default(900).describe('The longest wait.'),
      resetAfter: z
        .int()
        .min(10)
        .default(100)
        .describe('Wrong passwords in a row after which only a reset lets the password in.'),
      keptSeconds: z
        .int()
        .min(3600)
        .default(86_400)
        .describe('How long after the last wrong password a count is kept, in seconds; a lock is kept for 90 days.'),
      mostKept: z
        .int()
        .min(1000)
        .default(100_000)
        .describe('Counts of wrong passwords kept in all; beyond it the oldest go, whether their address is known or not.'),
    })
    .prefault({}),
}
