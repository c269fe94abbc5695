import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const mailEvents = defineEvents({
  'mail.retried': { summary: 'An operator had a failed mail sent again.', subject: 'mail', data: z.object({}) },
})
