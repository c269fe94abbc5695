import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

/** What ends a wait before its end. */
export const cancelReasons = ['link', 'person', 'administrator', 'second-factor', 'account-changed'] as const
export type CancelReason = (typeof cancelReasons)[number]

export const recoveryEvents = defineEvents({
  'recovery.requested': {
    summary: 'Somebody with the password said that all second factors are lost: a wait began.',
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
