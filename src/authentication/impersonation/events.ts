import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const impersonationEvents = defineEvents({
  'user.impersonation_started': {
    summary: 'An administrator began to act as a user. What they do in the session names them as `impersonatorId`.',
    subject: 'user',
    data: z.object({
      sessionId: z.string(),
      reason: z.string().nullable().describe('null: none was given'),
      expiresAt: z.iso.datetime(),
    }),
  },
  'user.impersonation_ended': {
    summary:
      'An administrator stopped acting as a user. A session that ends by itself, or with the session of the administrator, has no such event.',
    subject: 'user',
    data: z.object({ sessionId: z.string() }),
  },
})
