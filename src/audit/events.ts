import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const auditEvents = defineEvents({
  'events.exported': {
    summary: 'Somebody exported events.',
    subject: 'instance',
    data: z.object({
      format: z.enum(['jsonl', 'csv']),
      filters: z.array(z.string()).describe('names of the filters'),
    }),
  },
  'events.export_ended': {
    summary: 'A file of events was made, or could not be made.',
    subject: 'event_export',
    data: z.object({
      format: z.enum(['jsonl', 'csv']),
      status: z.enum(['made', 'failed']),
      events: z.number().describe('number of events in the file'),
    }),
  },
  'events.segment_started': {
    summary:
      'The head of the event chain was not written by this instance, so sealing continued in a new segment. Somebody else has changed the database.',
    subject: 'instance',
    data: z.object({ from: z.number().describe('its first position') }),
  },
})
