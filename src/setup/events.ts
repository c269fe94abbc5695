import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const setupEvents = defineEvents({
  'instance.setup_link_created': {
    summary: 'A link was made with which the first administrator is created, once.',
    subject: 'instance',
    data: z.object({}),
  },
})
