import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { User } from '../../identity/users/contract.ts'
import { TwoFactorRedirect } from '../attempts/contract.ts'

/** The state of a recovery wait. After the wait, a person who has lost all second factors can remove them. */
export const SecondFactorRecovery = z
  .object({
    /** `waiting`: until `readyAt` the person has to wait. `ready`: until `expiresAt` the person can remove the factors. */
    state: z.enum(['unavailable', 'available', 'waiting', 'ready']),
    /** The number of days that a wait would take if it started now. */
    waitDays: z.int(),
    readyAt: instant.nullable(),
    expiresAt: instant.nullable(),
  })
  .meta({ id: 'SecondFactorRecovery' })

/** A recovery wait as administrators see it. */
const AdministeredRecovery = z
  .object({
    state: z.enum(['waiting', 'ready']),
    requestedAt: instant,
    /** The browser and network from which the wait was requested. */
    requestedFrom: z.string(),
    readyAt: instant,
    expiresAt: instant.nullable(),
  })
  .meta({ id: 'AdministeredSecondFactorRecovery' })

const ofUser = z.object({ id: plainText(64, 1) })

export const recoveryContract = contract('Second factors', {
  secondFactorRecovery: {
    method: 'GET',
    path: '/two-factor/recovery',
    summary:
      'Get the wait after the loss of all second factors, for the sign-in that waits in this browser or else for the session',
    access: 'public',
    response: SecondFactorRecovery,
    errors: ['INVALID_TWO_FACTOR_COOKIE'],
  },
  requestSecondFactorRecovery: {
    method: 'POST',
    path: '/two-factor/recovery/request',
    summary: 'Start the wait after which the second factors can be removed; the password has been given before',
    access: 'public',
    response: SecondFactorRecovery,
    errors: ['INVALID_TWO_FACTOR_COOKIE', 'SECOND_FACTOR_RECOVERY_NOT_AVAILABLE', 'BANNED_USER'],
    limit: 'strict',
  },
  sendSecondFactorRecoveryCode: {
    method: 'POST',
    path: '/two-factor/recovery/send-code',
    summary: 'Mail the code that removes the second factors, after the wait and the password',
    access: 'public',
    response: z.object({ status: z.boolean() }),
    errors: [
      'INVALID_TWO_FACTOR_COOKIE',
      'SECOND_FACTOR_RECOVERY_NOT_AVAILABLE',
      'SECOND_FACTOR_RECOVERY_NOT_READY',
      'BANNED_USER',
    ],
    limit: 'strict',
  },
  completeSecondFactorRecovery: {
    method: 'POST',
    path: '/two-factor/recovery/complete',
    summary: 'Remove all second factors with the mailed code, and continue the sign-in',
    access: 'public',
    body: z.object({ code: plainText(16) }),
    response: z.union([z.object({ token: z.string(), user: User }), TwoFactorRedirect]),
    errors: [
      'INVALID_TWO_FACTOR_COOKIE',
      'SECOND_FACTOR_RECOVERY_NOT_AVAILABLE',
      'SECOND_FACTOR_RECOVERY_NOT_READY',
      'OTP_HAS_EXPIRED',
      '401 INVALID_CODE',
      'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
      'BANNED_USER',
    ],
    limit: 'strict',
    startsSession: true,
  },
  cancelSecondFactorRecovery: {
    method: 'POST',
    path: '/two-factor/recovery/cancel',
    summary: 'End the wait, with the token of a notice, after the password, or in a session',
    access: 'public',
    /** With a token from a mail, the call also ends all sessions, because the owner thereby reports that another person knows the password. */
    body: z.object({ token: plainText(256).optional() }),
    response: z.object({ status: z.boolean() }),
    errors: ['INVALID_TWO_FACTOR_COOKIE', 'SECOND_FACTOR_RECOVERY_NOT_FOUND'],
    limit: 'strict',
  },
  adminSecondFactorRecovery: {
    method: 'GET',
    path: '/admin/users/:id/recovery',
    summary: 'Get the wait of a user who has lost all second factors',
    access: { permission: 'users:read' },
    params: ofUser,
    response: z.object({ recovery: AdministeredRecovery.nullable() }),
    errors: ['NOT_FOUND'],
  },
  adminCancelSecondFactorRecovery: {
    method: 'DELETE',
    path: '/admin/users/:id/recovery',
    summary: 'End the wait of a user for an administrator',
    access: { permission: 'users:update' },
    params: ofUser,
    response: z.object({ success: z.boolean() }),
    errors: ['NOT_FOUND', 'SECOND_FACTOR_RECOVERY_NOT_FOUND'],
  },
})

export const recoveryErrors = errorsOf({
  SECOND_FACTOR_RECOVERY_NOT_AVAILABLE: [403, 'The second factors of this account cannot be removed after a wait'],
  SECOND_FACTOR_RECOVERY_NOT_READY: [409, 'The wait is not over, or there is none'],
  SECOND_FACTOR_RECOVERY_NOT_FOUND: [404, 'There is nothing to cancel'],
  // This error is also the error for a wrong mailed code in a sign-in.
  INVALID_CODE: [401, 'Invalid code'],
  OTP_HAS_EXPIRED: [400, 'OTP has expired'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: [400, 'Too many attempts. Please request a new code.'],
})

/** The reasons why a recovery wait can end early. */
export const cancelReasons = ['link', 'person', 'administrator', 'second-factor', 'account-changed'] as const
export type CancelReason = (typeof cancelReasons)[number]

export const recoveryEvents = defineEvents({
  'recovery.requested': {
    summary: 'A wait started. A person who gave the password reported that all second factors are lost.',
    subject: 'user',
    data: z.object({ readyAt: z.string().describe('ISO 8601') }),
  },
  'recovery.cancelled': {
    summary: 'A wait for removing the second factors was ended before the factors were removed.',
    subject: 'user',
    data: z.object({
      reason: z
        .enum(cancelReasons)
        .describe(
          '`link`: by a mailed notice; `person`: with the password, or in a session; `second-factor`: one was given; `account-changed`: password, address, roles, sessions or factors changed',
        ),
    }),
  },
  'recovery.completed': {
    summary: 'All second factors were removed after the wait, the password and a mailed code.',
    subject: 'user',
    data: z.object({}),
  },
})

/** Descriptions and examples for the API document. */
export const recoveryDocumentation = {
  secondFactorRecovery: {
    description:
      'The wait exists only where `secondFactor.recoveryWaitDays` is set. The address has to be verified, and no role, person or organization may require two factors. The person has to sign in with a password that was not set by mail.',
    example: {
      response: { state: 'waiting', waitDays: 7, readyAt: '2026-11-29T09:30:00.000Z', expiresAt: null },
    },
  },
  completeSecondFactorRecovery: {
    description:
      'All other sessions end. The state is `ready` when the last notice is sent. The code is mailed only to the address of the account.',
  },
  cancelSecondFactorRecovery: {
    description:
      'With the token of a notice, all sessions end. The password cannot start another wait until it was given together with a second factor.',
  },
}
