import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const personalDataEvents = defineEvents({
  'user.data_downloaded': {
    summary: 'Somebody downloaded what is kept about their account. Recorded before the first byte leaves.',
    subject: 'user',
    data: z.object({}),
  },
})
