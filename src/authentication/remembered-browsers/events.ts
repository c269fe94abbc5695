import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const rememberedBrowserEvents = defineEvents({
  'second_factor.browser_remembered': {
    summary: 'A user gave a second factor and is not asked for one in that browser for a while.',
    subject: 'user',
    data: z.object({
      browserId: z.string(),
      device: z.string().describe('browser and system by the user agent'),
      until: z.string(),
    }),
  },
  'second_factor.browser_forgotten': {
    summary: 'A remembered browser was ended: it is asked for a second factor again.',
    subject: 'user',
    data: z.object({ browserId: z.string() }),
  },
  'second_factor.browsers_forgotten': {
    summary: 'All remembered browsers of a user were ended.',
    subject: 'user',
    data: z.object({ browsers: z.int() }),
  },
})
