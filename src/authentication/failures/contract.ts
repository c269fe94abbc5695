import { z } from 'zod'

/** The reasons why an attempt to sign in can fail. `../explanation/reasons.ts` explains each of them to operators. */
export const FailureReason = z.enum([
  // Reasons that concern a password or any first step:
  'wrong-password',
  'unknown-address',
  'unknown-name',
  'no-password',
  'password-disabled',
  'waiting',
  'locked',
  'network-limit',
  'request-limit',
  'overloaded',
  'origin',
  'banned',
  'email-not-verified',
  // Reasons that concern a passkey:
  'passkey-challenge',
  'passkey-page',
  'passkey-unknown',
  'passkey-signature',
  'passkey-user',
  'passkey-counter',
  'passkey-unverified',
  // Reasons that concern a second factor:
  'wrong-second-factor',
  'second-factor-waiting',
  'second-factor-locked',
  'second-step-pending',
  'second-step-abandoned',
  // Reasons that concern a mailed link or code:
  'mail-code',
  'mail-code-expired',
  'mail-code-ended',
  'mail-link',
  'mail-link-browser',
  'mail-disabled',
  // Reasons that concern an identity provider:
  'provider-refused',
  'state-cookie-missing',
  'state-expired',
  'provider-code',
  'provider-profile',
  'provider-unknown',
  'provider-without-address',
  'account-not-linked',
  'sign-up-disabled',
  'provider-failed',
  // Reasons that concern an application:
  'redirect-uri',
  'client-unknown',
  'client-disabled',
  'client-secret',
  'public-client-secret',
  'consent-denied',
  'scope',
  'pkce',
  'grant',
  'grant-type',
  'interaction-expired',
  'authorization',
  // All other reasons. `more` stands for attempts that were only counted and not stored one by one:
  'refused',
  'more',
])
export type FailureReason = z.output<typeof FailureReason>

/** The reasons that the database stores. A sign-in that waits for its second step is not a failure, so it is not stored. */
export const StoredReason = FailureReason.exclude(['second-step-pending', 'second-step-abandoned'])
export type StoredReason = z.output<typeof StoredReason>

/** The sign-in methods that a failed attempt may have used. */
export const FailureMethod = z.enum(['password', 'passkey', 'second-factor', 'mail', 'provider', 'application', 'request'])
export type FailureMethod = z.output<typeof FailureMethod>

export const signInsConfig = z
  .strictObject({
    keepDays: z
      .int()
      .min(1)
      .max(365)
      .default(30)
      .describe('Days for which failed attempts to sign in are kept, for `gatehouse explain-sign-in`.'),
    mostKept: z
      .int()
      .min(1000)
      .max(10_000_000)
      .default(100_000)
      .describe('Failed attempts kept in all; beyond it the oldest go.'),
    perPersonHourly: z
      .int()
      .min(5)
      .max(1000)
      .default(30)
      .describe(
        'Failed attempts for one address or application from one network that a node keeps in an hour. The rest is only counted.',
      ),
    perNetworkHourly: z
      .int()
      .min(10)
      .max(10_000)
      .default(300)
      .describe(
        'Failed attempts from one network that a node keeps in an hour: as many for addresses with an account, and as many for others. The rest is only counted.',
      ),
  })
  .prefault({})
  .meta({ weakened: 'never' })

export type SignInsConfig = z.output<typeof signInsConfig>
