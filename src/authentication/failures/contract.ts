import { z } from 'zod'

/** Why an attempt to sign in failed. What each means for an operator is in `../explanation/reasons.ts`. */
export const FailureReason = z.enum([
  // password
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
  // a passkey
  'passkey-challenge',
  'passkey-page',
  'passkey-unknown',
  'passkey-signature',
  'passkey-user',
  'passkey-counter',
  'passkey-unverified',
  // a second factor
  'wrong-second-factor',
  'second-factor-waiting',
  'second-factor-locked',
  'second-step-pending',
  'second-step-abandoned',
  // a mailed link or code
  'mail-code',
  'mail-code-expired',
  'mail-code-ended',
  'mail-link',
  'mail-link-browser',
  'mail-disabled',
  // a provider
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
  // an application
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
  // neither
  'refused',
  'more',
])
export type FailureReason = z.output<typeof FailureReason>

/** Reasons of attempts that are kept: a sign-in that waits for its second step is none. */
export const StoredReason = FailureReason.exclude(['second-step-pending', 'second-step-abandoned'])
export type StoredReason = z.output<typeof StoredReason>

/** How somebody tried to get in. */
export const FailureMethod = z.enum(['password', 'passkey', 'second-factor', 'mail', 'provider', 'application', 'request'])
export type FailureMethod = z.output<typeof FailureMethod>
