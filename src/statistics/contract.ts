import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { contract } from '../http/contract.ts'

const day = z.iso.date()

const Series = z.object({
  /**
   * What is counted or measured: `signIns`, `providerSignIns`, `failedSignIns`, `signUps`, `applicationPeople`, `mails`, `queueLag` or
   * `webhookLag`.
   */
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
  /**
   * What the numbers are for: a sign-in method, provider, reason, application, state, kind of task or endpoint. Empty if the measure is
   * not divided. `*` stands for everything that is not listed.
   */
  key: z.string(),
  /** One number for each day. */
  values: z.array(z.int()),
  /** The sum of the values. For measures in seconds, it is the highest value. */
  total: z.int(),
})

const People = z.object({
  /** First and last day of the period, which is a day, a week or a month. */
  from: day,
  to: day,
  people: z.int(),
})

export const statisticsContract = contract('Administration of the instance', {
  statistics: {
    method: 'GET',
    path: '/admin/statistics',
    summary: 'Get the numbers of each day: sign-ins, sign-ups, active people, applications, mails and delays',
    access: { permission: 'health:read' },
    query: z.object({
      /** The first day, in the time zone `zone`. If absent, it is 29 days before the last day. */
      from: day.optional(),
      /** The last day, in the time zone `zone`. If absent, it is today. */
      to: day.optional(),
      /** The time zone in which days begin and end, as an IANA name such as `Europe/Berlin`. If absent, it is UTC. */
      zone: z.string().max(64).optional(),
    }),
    response: z
      .object({
        from: day,
        to: day,
        days: z.array(day),
        /** The time zone in which days begin and end. */
        zone: z.string(),
        /** The first day for which there are numbers. */
        countedSince: day,
        /** The last of the requested days that an earlier version of gatehouse counted in UTC. Null if there is no such day. */
        utcUntil: day.nullable(),
        series: z.array(Series),
        /**
         * How many people were active by day, by week (beginning on Monday) and by month, in UTC. A person is counted once in each
         * period. Weeks and months are included if they begin or end in the requested days.
         */
        activePeople: z.object({ byDay: z.array(People), byWeek: z.array(People), byMonth: z.array(People) }),
        /** How many audit events are not counted yet. */
        eventsBehind: z.int(),
      })
      .meta({ id: 'Statistics' }),
    errors: ['RANGE_OF_DAYS_IS_NOT_VALID', 'TIME_ZONE_NOT_KNOWN'],
  },
})

export const statisticsErrors = errorsOf({
  RANGE_OF_DAYS_IS_NOT_VALID: [400, 'Range of days is not valid'],
  TIME_ZONE_NOT_KNOWN: [400, 'Time zone not known'],
})

const days = ['2026-11-21', '2026-11-22', '2026-11-23']

/** Descriptions and examples for the API document. */
export const statisticsDocumentation = {
  statistics: {
    description:
      'Days are those of the time zone. If the last day is today, it is not complete yet. Active people and `applicationPeople` are ' +
      'counted for days in UTC, because a person counts once in a day. Sign-ins, sign-ups and mails that could not be sent are ' +
      'counted from events, each exactly once. All other numbers are collected by each node and written within a minute. A person is ' +
      'active after a sign-in, the use of a session or a token. A person counts once in a period. Deleted people stay in the numbers ' +
      'of the past. Of each measure, the twelve largest keys are listed.',
    example: {
      response: {
        ...{ from: days[0], to: days[2], days, zone: 'Europe/Berlin', countedSince: '2026-08-01', utcUntil: null },
        series: [
          { measure: 'signIns', key: 'password', values: [40, 12, 55], total: 107 },
          { measure: 'failedSignIns', key: 'wrong-password', values: [3, 0, 4], total: 7 },
        ],
        activePeople: {
          byDay: days.map((day, index) => ({ from: day, to: day, people: [31, 9, 44][index] })),
          byWeek: [
            { from: '2026-11-16', to: '2026-11-22', people: 62 },
            { from: '2026-11-23', to: '2026-11-29', people: 44 },
          ],
          byMonth: [{ from: '2026-11-01', to: '2026-11-30', people: 118 }],
        },
        eventsBehind: 0,
      },
    },
  },
}
