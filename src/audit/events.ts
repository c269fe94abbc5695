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
    summary: 'The queue has made a file of events, or given it up.',
    subject: 'event_export',
    data: z.object({
      format: z.enum(['jsonl', 'csv']),
      status: z.enum(['made', 'failed']),
      events: z.number().describe('how many are in the file'),
    }),
  },
  'events.segment_started': {
    summary:
      'The head of the event chain was not written by this instance: sealing went on in a new segment. Somebody else has changed the database.',
    subject: 'instance',
    data: z.object({ from: z.number().describe('its first position') }),
  },
})
