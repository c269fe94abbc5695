import { z } from 'zod'

export const accountsConfig = z
  .strictObject({
    emailPasswordEnabled: z.boolean().default(true).describe('Sign-in with email and password.'),
    signUpEnabled: z.boolean().default(true).describe('Strangers may create an account.'),
    autoSignIn: z.boolean().default(true).describe('Sign-up begins a session, unless verification is required.'),
    requireEmailVerification: z.boolean().default(false).describe('Sign-in needs a verified address.'),
    signInAfterVerification: z.boolean().default(false).describe('Following the verification link begins a session.'),
    verificationTtlSeconds: z.int().min(60).default(3600).describe('Life of a verification link.'),
  })
  .prefault({})
export type AccountsConfig = z.output<typeof accountsConfig>

/** OWASP's equal-strength Argon2id profile with the least memory; nothing weaker is accepted unless said so. */
export const passwordConfig = z
  .strictObject({
    minLength: z.int().min(8).max(128).default(8).describe('Least length in characters (code points).'),
    maxLength: z.int().min(64).max(512).default(128).describe('Greatest length in characters (code points).'),
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
