import { z } from 'zod'
import { contract } from '../http/contract.ts'

const day = z.iso.date()

const Series = z.object({
  /** What is counted: `signIns`, `providerSignIns`, `failedSignIns`, `signUps`, `applicationPeople`, `mails`, `queueLag` or `webhookLag`. */
  measure: z.enum([
    'signIns',
    'providerSignIns',
    'failedSignIns',
    'signUps',
    'applicationPeople',
    'mails',
    'queueLag',
    'webhookLag',
  ]),
  /** The method, provider, reason, application, state, kind of task or endpoint; empty where nothing is told apart, `*` for all others together. */
  key: z.string(),
  /** One number for each day. */
  values: z.array(z.int()),
  /** Their sum; of seconds the highest. */
  total: z.int(),
})

const People = z.object({
  /** First and last day of the day, week or month. */
  from: day,
  to: day,
  people: z.int(),
})

export const statisticsContract = contract('Administration of the instance', {
  statistics: {
    method: 'GET',
    path: '/admin/statistics',
    summary: 'Numbers of each day: sign-ins, sign-ups, active people, applications, mails and delays',
    access: { permission: 'health:read' },
    query: z.object({
      /** The first day, in UTC; 29 days before the last one where it is left out. */
      from: day.optional(),
      /** The last day; today where it is left out. */
      to: day.optional(),
    }),
    response: z
      .object({
        from: day,
        to: day,
        days: z.array(day),
        series: z.array(Series),
        /** Each person once in a day, a week from Monday on, and a month: those that begin or end within the days. */
        activePeople: z.object({ byDay: z.array(People), byWeek: z.array(People), byMonth: z.array(People) }),
        /** Events that are not counted yet. */
        eventsBehind: z.int(),
      })
      .meta({ id: 'Statistics' }),
    errors: ['RANGE_OF_DAYS_IS_NOT_VALID'],
  },
})
