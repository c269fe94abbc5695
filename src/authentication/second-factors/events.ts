import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

export const secondFactorEvents = defineEvents({
  'second_factor.enabled': {
    summary: 'A password alone no longer signs the user in: all their other sessions ended.',
    subject: 'user',
    data: z.object({}),
  },
  'second_factor.disabled': {
    summary: 'One factor signs the user in again.',
    subject: 'user',
    data: z.object({}),
  },
  'second_factor.removed': {
    summary:
      'All second factors of a user were removed at once: by an operator, with their recovery link, after a wait, or because the account came to somebody else.',
    subject: 'user',
    data: z.object({}),
  },
  'second_factor.required': {
    summary: 'A second factor is required of the user from a time on.',
    subject: 'user',
    data: z.object({ dueAt: z.string().describe('ISO 8601') }),
  },
  'second_factor.requirement_lifted': {
    summary: 'A second factor is no longer required of the user as a person.',
    subject: 'user',
    data: z.object({ isStillRequired: z.boolean().describe('true: a rule of the configuration still requires one') }),
  },
})
