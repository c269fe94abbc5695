import { z } from 'zod'
import { defineEvents } from '../../../core/events/types.ts'

export const recoveryCodeEvents = defineEvents({
  'recovery_codes.generated': {
    summary: 'A user got new recovery codes; those before count no more.',
    subject: 'user',
    data: z.object({}),
  },
  'recovery_code.used': {
    summary: 'A recovery code was used in the place of a second factor.',
    subject: 'user',
    data: z.object({ left: z.int().describe('how many unused codes there are still') }),
  },
})
