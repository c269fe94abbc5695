import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const verificationEvents = defineEvents({
  'user.claimed': {
    summary: 'An account came to who has proven its address for the first time: nobody else kept access to it.',
    subject: 'user',
    data: z.object({}),
  },
  'user.email_recovered': {
    summary: 'A user took their earlier address back with the link that was mailed to it.',
    subject: 'user',
    data: z.object({}),
  },
})
