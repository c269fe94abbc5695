import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const secretEvents = defineEvents({
  'instance.reencrypted': {
    summary: 'Everything that an older master secret had sealed was sealed with the newest one, as far as it could be opened.',
    subject: 'instance',
    data: z.object({ resealed: z.number(), left: z.number() }),
  },
})
