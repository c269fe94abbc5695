import type { PeriodKind } from './rules.ts'

/** What is counted or measured each day. The names on the right are stored in the database. If a name changes, the numbers begin at zero. */
export const measures = {
  /** Sign-ins, by the first sign-in method that was used. */
  signIns: 'sign_ins',
  /** Sign-ins with an identity provider, by provider. */
  providerSignIns: 'provider_sign_ins',
  /** Failed sign-ins, by the reason that `explain-sign-in` also shows. */
  failedSignIns: 'failed_sign_ins',
  signUps: 'sign_ups',
  /** People who got a token, by application. */
  applicationPeople: 'application_people',
  /** Mails, by their state `sent` or `failed`. */
  mails: 'mails',
  /** The longest time in seconds that a due task had to wait, by kind of task. */
  queueLag: 'queue_lag',
  /** The longest time in seconds between an event at the billing platform and its arrival here, by endpoint. */
  webhookLag: 'webhook_lag',
} as const

/** All measures that are stored: those shown in charts, and those that only checks of `doctor` read. */
export const storedMeasures = {
  ...measures,
  /** Errors in scripts that hosted pages have reported. */
  pageErrors: 'page_errors',
} as const
export type MeasureName = keyof typeof storedMeasures

/** Measures that are stored by day in UTC, because a person or a check is counted once a day. They cannot be shown for days in another zone. */
const ofDays: ReadonlySet<string> = new Set([measures.applicationPeople, storedMeasures.pageErrors])

/** True if a measure is counted by half hours. `stored` is the name under which it is stored. */
export const isOfHalfHours = (stored: string): boolean => !ofDays.has(stored)

/** The measures of people who were active in a period, by kind of period. They are stored under the first day of the period. */
export const peopleMeasures: Readonly<Record<PeriodKind, string>> = {
  day: 'people_by_day',
  week: 'people_by_week',
  month: 'people_by_month',
}

/** The key of the row that says since when events are counted. */
export const sinceName = 'since'

/** The name of the event reader that counts. It is also the key of the row with the reader's position. */
export const readerName = 'statistics'
