import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

const scope = z
  .enum(['all', 'some'])
  .describe('all: every browser that the account does not know; some: one network, browser or session')

export const attemptEvents = defineEvents({
  'user.locked': {
    summary:
      'So many wrong passwords were given in a row that only a reset lets the password in. Recorded once for each lock; the actor is whoever gave the last one.',
    subject: 'user',
    data: z.object({ scope, failures: z.number() }),
  },
  'user.throttled': {
    summary:
      'Wrong passwords from several networks make every browser wait that the account does not know, where its network has sent some too. Recorded when it begins, at most once a day.',
    subject: 'user',
    data: z.object({ failures: z.number(), until: z.iso.datetime() }),
  },
})
