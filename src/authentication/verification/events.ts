import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

/** Prefix of the ids of organizations' and the instance's keys among the changes in a notice. */
export const sharedKeyPrefix = 'api-key:'

export const verificationEvents = defineEvents({
  'user.claimed': {
    summary: 'An account was handed to the person who proved its address for the first time: earlier access ended.',
    subject: 'user',
    data: z.object({}),
    /** True if no address of the account was proven before: another person may have made everything in it. */
    transient: z.object({ isTakenOver: z.boolean() }),
  },
  'user.activity_reported': {
    summary:
      'A reader of the user’s mail reported, by the link in a notice, a change that the user had not made: all sessions, tokens and API keys ended, and the added sign-in methods were removed.',
    subject: 'user',
    data: z.object({
      isResetMailed: z.boolean().describe('a link to a new password was mailed, and the one before signs in no more'),
    }),
    /** The changes in the notice (`Noticed`). */
    transient: z.object({ at: z.date().optional(), added: z.array(z.string()) }),
  },
  'user.email_recovered': {
    summary: 'A user took their earlier address back with the link that was mailed to it.',
    subject: 'user',
    data: z.object({}),
  },
})
