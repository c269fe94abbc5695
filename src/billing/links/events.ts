import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const linkEvents = defineEvents({
  'customer.linked': {
    summary:
      'A customer of the billing platform was linked to a user or an organization: by an operator, by its external id, or because the user has verified its address.',
    subject: 'customer',
    data: z.object({ userId: z.string().nullable(), linkedBy: z.enum(['operator', 'external_id', 'email']) }),
  },
  'customer.unlinked': {
    summary:
      'The link of a customer of the billing platform has ended: an operator removed it, or its owner or address was deleted.',
    subject: 'customer',
    data: z.object({ userId: z.string().nullable().describe('the former owner; null: an organization') }),
  },
})
