import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'

export const secondFactorEvents = defineEvents({
  'second_factor.enabled': {
    summary:
      'Two-step verification was switched on. A password alone no longer signs the user in, and all other sessions of the user ended.',
    subject: 'user',
    data: z.object({}),
  },
  'second_factor.disabled': {
    summary: 'Two-step verification was switched off. One factor signs the user in again.',
    subject: 'user',
    data: z.object({}),
  },
  'second_factor.removed': {
    summary:
      'All second factors of a user were removed at once: by an operator, with a recovery link, after a wait, or because the account got a new owner.',
    subject: 'user',
    data: z.object({}),
  },
  'second_factor.required': {
    summary: 'A second factor is required of the user from a certain time on.',
    subject: 'user',
    data: z.object({ dueAt: z.string().describe('ISO 8601') }),
  },
  'second_factor.requirement_lifted': {
    summary: 'An operator no longer requires a second factor of the user.',
    subject: 'user',
    data: z.object({ isStillRequired: z.boolean().describe('true if a rule of the configuration still requires one') }),
  },
})

export const secondFactorErrors = errorsOf({
  THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED: [403, 'The last second factor cannot be removed'],
})

/** Settings that decide who needs a second factor, and which methods count as a second factor. */
export const secondFactorConfig = z
  .strictObject({
    requiredFor: z
      .union([z.literal('auto'), z.array(z.string().min(1))])
      .default('auto')
      .describe(
        'Roles of the instance whose users need a second factor; `user` means everybody. `auto`: all roles with permissions, as soon as one of these users has one.',
      )
      .meta({ weakened: 'removed' }),
    graceDays: z
      .int()
      .min(0)
      .max(365)
      .default(7)
      .describe('Days for which users may sign in without a second factor after it is required of them.')
      .meta({ weakened: 'higher' }),
    passwordAlone: z
      .enum(['enrol', 'account'])
      .default('enrol')
      .describe(
        "Access with one factor after these days: `enrol` opens only the page that adds a second factor, `account` opens the user's own account without the permissions of the role.",
      ),
    rememberDays: z
      .int()
      .min(0)
      .max(365)
      .default(30)
      .describe('How long a browser may stand for the second factor when the person says so; 0: never.')
      .meta({ weakened: 'higher' }),
    trustedProviders: z
      .array(z.string().min(1))
      .default([])
      .describe('Providers that ask for two factors themselves: a sign-in with one of them counts as two.')
      .meta({ weakened: 'added' }),
    mailCodes: z
      .boolean()
      .default(false)
      .describe('A code sent by mail may stand for the second factor, where none is required.')
      .meta({ weakened: 'on' }),
    recoveryWaitDays: z
      .union([z.literal(0), z.int().min(3).max(30)])
      .default(0)
      .describe(
        'Days after which users who have lost all second factors may remove them with the password and a mailed code, unless a second factor is required: 3 to 30; 0: never.',
      ),
  })
  .prefault({})

export type SecondFactorConfig = z.output<typeof secondFactorConfig>
