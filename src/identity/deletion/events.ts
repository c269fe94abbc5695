import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const deletionEvents = defineEvents({
  'user.deleted': {
    summary: 'A user was deleted, with all that belongs to them. Recorded while the row is locked and still there.',
    subject: 'user',
    data: z.object({}),
  },
})
