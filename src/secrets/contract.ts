import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { defineEvents } from '../core/events/types.ts'

export const secretEvents = defineEvents({
  'instance.reencrypted': {
    summary:
      'All values that were sealed with an older master secret were sealed again with the newest one, if they could be opened.',
    subject: 'instance',
    data: z.object({ resealed: z.number(), left: z.number() }),
  },
})

export const secretErrors = errorsOf({
  NO_NODE_HAS_STARTED_WITH_THE_NEWEST_SECRET: [409, 'No node has started with the newest secret'],
})
