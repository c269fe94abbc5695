import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const stateEvents = defineEvents({
  'billing.rebuilt': {
    summary: 'An operator derived the state of all customers again from the stored deliveries.',
    subject: 'instance',
    data: z.object({
      deliveries: z.number(),
      customers: z.number(),
      corrected: z.number(),
      removed: z.number(),
      restored: z.number(),
      snapshots: z.number(),
      links: z.number(),
    }),
  },
})
