import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const linkEvents = defineEvents({
  'customer.linked': {
    summary: 'An operator linked a customer of the billing platform to a user or an organization.',
    subject: 'customer',
    data: z.object({ userId: z.string().nullable() }),
  },
  'customer.unlinked': {
    summary: 'An operator took back whose a customer of the billing platform is: external id and address decide again.',
    subject: 'customer',
    data: z.object({ userId: z.string().nullable() }),
  },
})
