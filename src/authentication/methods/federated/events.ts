import { z } from 'zod'
import { defineEvents } from '../../../core/events/types.ts'

export const socialEvents = defineEvents({
  'provider.tested': {
    summary: 'An operator had a provider tested.',
    subject: 'provider',
    data: z.object({ hasPassed: z.boolean(), failedSteps: z.array(z.string()) }),
  },
})
