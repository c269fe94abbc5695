import { z } from 'zod'

export const accountsConfig = z
  .strictObject({
    emailPasswordEnabled: z.boolean().default(true).describe('Sign-in with email and password.'),
    signUpEnabled: z.boolean().default(true).describe('Strangers may create an account.'),
    autoSignIn: z.boolean().default(true).describe('Sign-up begins a session, unless verification is required.'),
    requireEmailVerification: z.boolean().default(false).describe('Sign-in needs a verified address.'),
    signInAfterVerification: z.boolean().default(false).describe('Following the verification link begins a session.'),
    verificationMailEnabled: z
      .boolean()
      .default(true)
      .describe('Mail links that verify an address; without them a verified address cannot be changed either.'),
    verifyOnSignUp: z.boolean().default(false).describe('Mail such a link at sign-up also where sign-in does not need it.'),
    changePasswordNeedsFreshSession: z
      .boolean()
      .default(false)
      .describe('A change of password needs a session begun within `sessions.freshAgeSeconds`, besides the current password.'),
    passwordResetEnabled: z.boolean().default(true).describe('Mail links with which a new password can be set.'),
    resetTtlSeconds: z.int().min(60).default(3600).describe('Life of a password reset link.'),
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
    deleteUserEnabled: z.boolean().default(true).describe('Users may delete their account.'),
    deleteUserVerification: z
      .boolean()
      .default(false)
      .describe('Deleting an account needs a mailed link, even with the right password.'),
    deleteUserNeedsPassword: z
      .boolean()
      .default(false)
      .describe('Who has a password must give it to delete the account: a fresh session is not enough.'),
    deletionTtlSeconds: z.int().min(60).default(86_400).describe('Life of a link that deletes an account.'),
    unlinkingAllAllowed: z.boolean().default(false).describe('Users may remove their last way in.'),
    newDeviceMail: z.boolean().default(true).describe('Tell users by mail of a sign-in from somewhere new.'),
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
    verificationTtlSeconds: z.int().min(60).default(3600).describe('Life of a verification link.'),
  })
  .prefault({})
export type AccountsConfig = z.output<typeof accountsConfig>

/** OWASP's equal-strength Argon2id profile with the least memory; nothing weaker is accepted unless said so. */
export const passwordConfig = z
  .strictObject({
    minLength: z.int().min(8).max(128).default(8).describe('Least length in characters (code points).'),
    maxLength: z.int().min(64).max(512).default(128).describe('Greatest length in characters (code points).'),
    refuseCommon: z
      .boolean()
      .default(false)
      .describe('Refuse the most common passwords for everybody; for administrators they always are.'),
    memoryKib: z.int().min(8).default(19_456).describe('Argon2id memory in KiB.'),
    timeCost: z.int().min(1).default(2).describe('Argon2id passes.'),
    parallelism: z.int().min(1).max(16).default(1).describe('Argon2id lanes.'),
    allowWeakHashing: z.boolean().default(false).describe('Accept Argon2id parameters below 19456/2/1; for test machines.'),
  })
  .refine(
    (p) => p.allowWeakHashing || (p.memoryKib >= 19_456 && p.timeCost >= 2),
    'Argon2id below memoryKib 19456, timeCost 2 is too weak',
  )
  .prefault({})
export type PasswordConfig = z.output<typeof passwordConfig>
