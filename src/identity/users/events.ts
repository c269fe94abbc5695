import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const userEvents = defineEvents({
  'user.created': {
    summary: 'A user was created: by a sign-up, a first sign-in with a provider, an invitation or an operator.',
    subject: 'user',
    data: z.object({ role: z.string(), isVerified: z.boolean() }),
    counted: () => ({ counts: [['signUps', '']] }),
  },
  'user.updated': {
    summary: 'Something about a user changed: the actor says whether they did it themselves.',
    subject: 'user',
    data: z.object({ fields: z.array(z.string()).describe('names of what changed') }),
  },
  'user.email_verified': {
    summary: 'The address of a user became verified, or a user was created with a verified one.',
    subject: 'user',
    data: z.object({}),
    transient: z.object({ email: z.string() }),
  },
  'user.role_changed': {
    summary: 'A user was given other roles on the instance.',
    subject: 'user',
    data: z.object({ from: z.string(), to: z.string() }),
  },
  'user.banned': {
    summary: 'A user was banned: their sessions and all that applications hold in their name end, and they cannot sign in.',
    subject: 'user',
    data: z.object({
      reason: z.string(),
      expiresAt: z.iso.datetime().nullable().describe('null: until the ban is lifted'),
    }),
  },
  'user.deleted': {
    summary: 'A user was deleted, with all that belongs to them. Recorded while the row is locked and still there.',
    subject: 'user',
    data: z.object({}),
  },
  'user.unbanned': {
    summary: 'The ban of a user was lifted. One with an end ends without an event.',
    subject: 'user',
    data: z.object({}),
  },
  'user.username_changed': {
    summary: 'A user has another user name, their first one, or none any more.',
    subject: 'user',
    data: z.object({
      from: z.string().nullable().describe('null: they had none'),
      to: z.string().nullable().describe('null: they have none'),
    }),
  },
  'user.email_changed': {
    summary: 'A user has another address, which is not verified yet.',
    subject: 'user',
    data: z.object({}),
    transient: z.object({ formerEmail: z.string(), newEmail: z.string(), isByOperator: z.boolean() }),
  },
})
