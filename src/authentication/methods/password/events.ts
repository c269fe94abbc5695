import { z } from 'zod'
import { defineEvents } from '../../../core/events/types.ts'

export const passwordEvents = defineEvents({
  'user.password_changed': {
    summary: 'A user replaced their password, knowing the one before.',
    subject: 'user',
    data: z.object({ areOtherSessionsEnded: z.boolean() }),
  },
  'user.password_reset': {
    summary: 'A user got a new password without the one before: with a mailed link, or by an operator.',
    subject: 'user',
    data: z.object({}),
  },
  'user.recovery_link_created': {
    summary: 'An operator got a link with which a user sets a new password.',
    subject: 'user',
    data: z.object({
      expiresAt: z.string(),
      removesSecondFactors: z.boolean().optional().describe('true: the link also removes the second factors'),
    }),
  },
})
