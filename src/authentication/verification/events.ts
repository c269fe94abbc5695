import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

/** The prefix for the id of an API key in a notice (`Noticed`). It marks keys that people share: keys of organizations and of the instance. */
export const sharedKeyPrefix = 'api-key:'

export const verificationEvents = defineEvents({
  'user.claimed': {
    summary: 'An account was handed to the person who was the first to prove its address. All earlier access ended.',
    subject: 'user',
    data: z.object({}),
    /** True if the account has never proven a mail address. Another person may then have created everything in the account. */
    transient: z.object({ isTakenOver: z.boolean() }),
  },
  'user.activity_reported': {
    summary:
      'A reader of the user’s mail reported a change that the user had not made, with the link in a notice. All sessions, tokens and API keys ended, and the added sign-in methods were removed.',
    subject: 'user',
    data: z.object({
      isResetMailed: z.boolean().describe('true if a link for a new password was mailed and the previous password was removed'),
    }),
    /** The changes that the notice reported, as in `Noticed`. */
    transient: z.object({ at: z.date().optional(), added: z.array(z.string()) }),
  },
  'user.email_recovered': {
    summary: 'A user restored their former address with the link that was mailed to it.',
    subject: 'user',
    data: z.object({}),
  },
})
