import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const retentionEvents = defineEvents({
  'instance.pruned': {
    summary: 'An operator had everything deleted at once that has outlived its retention.',
    subject: 'instance',
    data: z.object({
      found: z.record(z.string(), z.number()).describe('how many of each kind there were, where there were any'),
    }),
  },
})
