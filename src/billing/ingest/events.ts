import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const ingestEvents = defineEvents({
  'customer.forgotten': {
    summary:
      'An operator removed everything known of a customer of the billing platform; the id stays, so that nothing is kept later.',
    subject: 'customer',
    data: z.object({}),
  },
  'endpoint.created': {
    summary: 'A webhook endpoint of the billing platform was added.',
    subject: 'endpoint',
    data: z.object({}),
  },
  'endpoint.keys_changed': {
    summary: 'A webhook endpoint has another signing secret, or its old ones were dropped.',
    subject: 'endpoint',
    data: z.object({}),
  },
  'endpoint.deleted': { summary: 'A webhook endpoint was removed.', subject: 'endpoint', data: z.object({}) },
  'delivery.replayed': { summary: 'An operator had a delivery applied again.', subject: 'delivery', data: z.object({}) },
  'delivery.dismissed': {
    summary: 'An operator dismissed a delivery in quarantine: retention may delete it.',
    subject: 'delivery',
    data: z.object({}),
  },
})
