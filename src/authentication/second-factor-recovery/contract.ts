import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { User } from '../../identity/users/contract.ts'
import { TwoFactorRedirect } from '../attempts/contract.ts'

/** Whether a person who has lost all second factors can remove them after a wait, and the state of that wait. */
export const SecondFactorRecovery = z
  .object({
    /** A wait is `waiting` until `readyAt` and then `ready` until `expiresAt`. */
    state: z.enum(['unavailable', 'available', 'waiting', 'ready']),
    /** The length in days of a wait that would start now. */
    waitDays: z.int(),
    readyAt: instant.nullable(),
    expiresAt: instant.nullable(),
  })
  .meta({ id: 'SecondFactorRecovery' })

/** A wait as administrators see it. */
const AdministeredRecovery = z
  .object({
    state: z.enum(['waiting', 'ready']),
    requestedAt: instant,
    /** The browser and the network of the request. */
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
    summary: 'The wait after the loss of all second factors: of the sign-in that waits in this browser, otherwise of the session',
    access: 'public',
    response: SecondFactorRecovery,
    errors: ['INVALID_TWO_FACTOR_COOKIE'],
  },
  requestSecondFactorRecovery: {
    method: 'POST',
    path: '/two-factor/recovery/request',
    summary: 'Begin the wait after which the second factors can be removed; the password was given before',
    access: 'public',
    response: SecondFactorRecovery,
    errors: ['INVALID_TWO_FACTOR_COOKIE', 'SECOND_FACTOR_RECOVERY_NOT_AVAILABLE', 'BANNED_USER'],
    limit: 'strict',
  },
  sendSecondFactorRecoveryCode: {
    method: 'POST',
    path: '/two-factor/recovery/send-code',
    summary: 'After the wait and the password, mail the code that removes the second factors',
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
    summary: 'Remove all second factors with the mailed code, and go on with the sign-in',
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
    summary: 'End the wait: with the token of a notice, or after the password or with a session',
    access: 'public',
    /** With a token from a mail, the call also ends all sessions, because the owner reports that another person knows the password. */
    body: z.object({ token: plainText(256).optional() }),
    response: z.object({ status: z.boolean() }),
    errors: ['INVALID_TWO_FACTOR_COOKIE', 'SECOND_FACTOR_RECOVERY_NOT_FOUND'],
    limit: 'strict',
  },
  adminSecondFactorRecovery: {
    method: 'GET',
    path: '/admin/users/:id/recovery',
    summary: 'The wait of a user who has lost all second factors',
    access: { permission: 'users:read' },
    params: ofUser,
    response: z.object({ recovery: AdministeredRecovery.nullable() }),
    errors: ['NOT_FOUND'],
  },
  adminCancelSecondFactorRecovery: {
    method: 'DELETE',
    path: '/admin/users/:id/recovery',
    summary: 'End the wait of a user',
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
  // The error is the same as that of mailed codes.
  INVALID_CODE: [401, 'Invalid code'],
  OTP_HAS_EXPIRED: [400, 'OTP has expired'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: [400, 'Too many attempts. Please request a new code.'],
})

/** The reasons for which a wait can end early. */
export const cancelReasons = ['link', 'person', 'administrator', 'second-factor', 'account-changed'] as const
export type CancelReason = (typeof cancelReasons)[number]

export const recoveryEvents = defineEvents({
  'recovery.requested': {
    summary: 'A wait began after a report, made with the password, that all second factors are lost.',
    subject: 'user',
    data: z.object({ readyAt: z.string().describe('ISO 8601') }),
  },
  'recovery.cancelled': {
    summary: 'The wait for the removal of the second factors was ended before it led to it.',
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
    summary: 'After the wait, the password and a mailed code, all second factors were removed.',
    subject: 'user',
    data: z.object({}),
  },
})

/** Descriptions and examples for the API document. */
export const recoveryDocumentation = {
  secondFactorRecovery: {
    description:
      'The wait exists where `secondFactor.recoveryWaitDays` is set, for a verified address, where no role, person or organization requires two ' +
      'factors, and after a sign-in with a password that did not come by mail.',
    example: {
      response: { state: 'waiting', waitDays: 7, readyAt: '2026-11-29T09:30:00.000Z', expiresAt: null },
    },
  },
  completeSecondFactorRecovery: {
    description:
      'All other sessions end. `ready` comes with the last notice, and the code goes to the address of the account alone.',
  },
  cancelSecondFactorRecovery: {
    description:
      'With the token of a notice, all sessions end, and the password begins no other wait before it was given together with a second factor.',
  },
}
