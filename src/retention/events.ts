import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const retentionEvents = defineEvents({
  'instance.pruned': {
    summary: 'An operator deleted all expired data at once.',
    subject: 'instance',
    data: z.object({
      found: z.record(z.string(), z.number()).describe('number of rows of each kind, without kinds that had none'),
    }),
  },
})
