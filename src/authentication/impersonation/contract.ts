import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'
import { hourSeconds } from '../../core/time.ts'
import { plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { exampleUser, User } from '../../identity/users/contract.ts'
import { Session } from '../sessions/contract.ts'

const current = z.object({ session: Session, user: User })

export const impersonationContract = contract('Users', {
  impersonateUser: {
    method: 'POST',
    path: '/admin/impersonate-user',
    summary: 'Impersonate a user for at most an hour, to see what the user sees and change nothing',
    access: {
      permission: 'users:impersonate',
      session: true,
      fresh: 'person',
      denied: 'You are not allowed to impersonate users',
    },
    body: z.object({ userId: plainText(64, 1), reason: plainText(500).optional() }),
    response: current,
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS',
      'YOU_CANNOT_IMPERSONATE_ADMINS',
      'YOU_CANNOT_IMPERSONATE_YOURSELF',
      'A_REASON_IS_REQUIRED',
      '404 USER_NOT_FOUND',
      'BANNED_USER',
    ],
    startsSession: true,
  },
  stopImpersonating: {
    method: 'POST',
    path: '/admin/stop-impersonating',
    summary: 'End the impersonated session and return to the session in which it was started',
    access: { permission: 'account:read', session: true },
    response: current,
    errors: ['YOU_ARE_NOT_IMPERSONATING_ANYONE', 'FAILED_TO_FIND_ADMIN_SESSION'],
    startsSession: true,
  },
})

export const impersonationErrors = errorsOf({
  YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS: [403, 'You are not allowed to impersonate users'],
  YOU_CANNOT_IMPERSONATE_ADMINS: [403, 'You cannot impersonate admins'],
  YOU_CANNOT_IMPERSONATE_YOURSELF: [400, 'You cannot impersonate yourself'],
  YOU_ARE_NOT_IMPERSONATING_ANYONE: [400, 'You are not impersonating anyone'],
  A_REASON_IS_REQUIRED: [400, 'A reason is required'],
  FAILED_TO_FIND_ADMIN_SESSION: [400, 'Failed to find admin session'],
})

export const impersonationEvents = defineEvents({
  'user.impersonation_started': {
    summary: 'An administrator started to impersonate a user. Events of the session name the administrator as `impersonatorId`.',
    subject: 'user',
    data: z.object({
      sessionId: z.string(),
      reason: z.string().nullable().describe('null if no reason was given'),
      expiresAt: z.iso.datetime(),
    }),
  },
  'user.impersonation_ended': {
    summary:
      'An administrator stopped impersonating a user. There is no such event if the session expires, or ends together with the session of the administrator.',
    subject: 'user',
    data: z.object({ sessionId: z.string() }),
  },
})

/** Settings in the section `admin`. */
export const impersonationSettings = {
  impersonationNeedsReason: z
    .boolean()
    .default(false)
    .describe(
      'Impersonation needs a `reason`. Off: calls without one are taken, as the admin client of Better Auth makes them, and the event says that none was given.',
    )
    .meta({ weakened: 'off' }),
  impersonationSeconds: z
    .int()
    .min(60)
    .max(hourSeconds)
    .default(hourSeconds)
    .describe('How long an impersonated session lasts at most; it is never extended.')
    .meta({ weakened: 'higher' }),
}
export type ImpersonationConfig = z.output<z.ZodObject<typeof impersonationSettings>>

const impersonator = '0198c9d2-77aa-7c41-9d3e-2b7f1a6c8e99'

/** Descriptions and examples for the API document. */
export const impersonationDocumentation = {
  impersonateUser: {
    description:
      "The cookie becomes the cookie of the impersonated session. The administrator's own session goes on, and another cookie keeps it. Administrators cannot be impersonated, nor users with permissions that the caller lacks. Tokens that applications get meanwhile name the caller in `act`, and end with the session.",
    example: {
      body: { userId: exampleUser.id, reason: 'Ticket 4711: invitations are missing' },
      response: {
        session: {
          id: '0198c9d3-11b2-7a90-8f27-5c0e4d9b3a16',
          token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j',
          userId: exampleUser.id,
          expiresAt: '2026-03-02T10:15:00.000Z',
          createdAt: '2026-03-02T09:15:00.000Z',
          updatedAt: '2026-03-02T09:15:00.000Z',
          ipAddress: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          activeOrganizationId: null,
          activeTeamId: null,
          impersonatedBy: impersonator,
        },
        user: exampleUser,
      },
    },
  },
  stopImpersonating: {
    description:
      'The impersonated session always ends. If the cookie of the own session is missing, or that session has ended, the answer is FAILED_TO_FIND_ADMIN_SESSION and the administrator has to sign in again. A program that calls with `Authorization: Bearer` continues with the token that it had before.',
  },
}
