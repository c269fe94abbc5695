import { z } from 'zod'

/** Settings in the section `accounts`. */
export const passwordSettings = {
  emailPasswordEnabled: z.boolean().default(true).describe('Sign-in with email and password.').meta({ weakened: 'on' }),
  signUpEnabled: z.boolean().default(true).describe('Anybody may create an account.').meta({ weakened: 'on' }),
  addressFirst: z
    .boolean()
    .default(false)
    .describe(
      'The sign-in page asks for the address first, then for the sign-in method. It never shows whether an account exists.',
    )
    .meta({ weakened: 'never' }),
  autoSignIn: z
    .boolean()
    .default(true)
    .describe('Sign-up starts a session, unless verification is required.')
    .meta({ weakened: 'never' }),
  verifyOnSignUp: z
    .boolean()
    .default(false)
    .describe('Mail a link that verifies the address at sign-up also where sign-in does not need it.')
    .meta({ weakened: 'never' }),
  changePasswordNeedsFreshSession: z
    .boolean()
    .default(false)
    .describe('A change of password needs a session started within `sessions.freshAgeSeconds`, besides the current password.')
    .meta({ weakened: 'off' }),
  passwordResetEnabled: z
    .boolean()
    .default(true)
    .describe('Mail links with which a new password can be set.')
    .meta({ weakened: 'on' }),
}
export type PasswordSettings = z.output<z.ZodObject<typeof passwordSettings>> & {
  readonly requireEmailVerification: boolean
  readonly verificationMailEnabled: boolean
}

/** The settings for the list of breached passwords. */
const breachedConfig = z
  .strictObject({
    source: z
      .enum(['off', 'service', 'file'])
      .default('off')
      .describe(
        'Refuse passwords that are known from breaches: asked of a range service, or looked up in a file. When it cannot be asked, passwords are set without it, and log, metric and `doctor` say so.',
      ),
    url: z
      .url({ protocol: /^https?$/, error: 'an http or https address' })
      .regex(/\/$/, 'an address that ends with a slash')
      .default('https://api.pwnedpasswords.com/range/')
      .describe('The range service: it gets the first five of forty hex digits of the SHA-1 hash, appended to this address.'),
    timeoutMs: z
      .int()
      .min(100)
      .max(10_000)
      .default(2_000)
      .describe('How long setting a password waits for the range service, in ms; never longer than `outbound.timeoutMs`.')
      .meta({ weakened: 'never' }),
    file: z
      .string()
      .min(1)
      .optional()
      .describe('The file that `gatehouse import-breached` makes; `<data dir>/breached.hashes` when not set.'),
  })
  .prefault({})

/** 256 MiB for one hash. With a higher setting, hashing would exhaust the memory of a node, and nobody could sign in to correct the setting. */
const mostMemoryKib = 262_144

/**
 * The settings for hashing passwords. The default is the Argon2id profile of OWASP that needs the least memory. All OWASP profiles are
 * equally strong. A weaker setting has to be allowed explicitly.
 */
export const passwordConfig = z
  .strictObject({
    minLength: z
      .int()
      .min(8)
      .max(128)
      .default(8)
      .describe('Least length in characters (code points).')
      .meta({ weakened: 'lower' }),
    maxLength: z
      .int()
      .min(64)
      .max(512)
      .default(128)
      .describe('Greatest length in characters (code points).')
      .meta({ weakened: 'never' }),
    refuseCommon: z
      .boolean()
      .default(false)
      .describe('Refuse the most common passwords for all users. Administrators can never use them.')
      .meta({ weakened: 'off' }),
    breached: breachedConfig,
    memoryKib: z.int().min(8).max(mostMemoryKib).default(19_456).describe('Argon2id memory in KiB.').meta({ weakened: 'lower' }),
    timeCost: z.int().min(1).max(20).default(2).describe('Argon2id passes.').meta({ weakened: 'lower' }),
    parallelism: z.int().min(1).max(16).default(1).describe('Argon2id lanes.').meta({ weakened: 'never' }),
    allowWeakHashing: z
      .boolean()
      .default(false)
      .describe('Accept Argon2id parameters below 19456/2/1; for test machines.')
      .meta({ weakened: 'on' }),
  })
  .refine(
    (p) => p.allowWeakHashing || (p.memoryKib >= 19_456 && p.timeCost >= 2),
    'Argon2id below memoryKib 19456, timeCost 2 is too weak',
  )
  .refine(({ minLength, maxLength }) => minLength <= maxLength, {
    path: ['minLength'],
    message: 'at most maxLength: no password would be long enough',
  })
  .prefault({})
export type PasswordConfig = z.output<typeof passwordConfig>
