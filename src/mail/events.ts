import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const mailEvents = defineEvents({
  'mail.given_up': {
    summary: 'A mail could not be sent and is not tried again by itself.',
    subject: 'mail',
    data: z.object({ kind: z.string(), attempts: z.number() }),
    counted: () => ({ counts: [['mails', 'failed']] }),
  },
  'mail.retried': { summary: 'An operator had a failed mail sent again.', subject: 'mail', data: z.object({}) },
})
