import type { PeriodKind } from './rules.ts'

/** The measures of each day and their keys. The names are stored: a measure with a new name begins at zero. */
export const measures = {
  /** Sign-ins, by the first method of each. */
  signIns: 'sign_ins',
  /** Federated sign-ins, by provider. */
  providerSignIns: 'provider_sign_ins',
  /** Failed sign-ins, by reason as in `explain-sign-in`. */
  failedSignIns: 'failed_sign_ins',
  signUps: 'sign_ups',
  /** People who got a token, by application. */
  applicationPeople: 'application_people',
  /** Mails, by state: `sent` or `failed`. */
  mails: 'mails',
  /** Longest time that a due task has waited in seconds, by kind. */
  queueLag: 'queue_lag',
  /** Longest time between an event of the billing platform and its receipt in seconds, by endpoint. */
  webhookLag: 'webhook_lag',
} as const

/** All measures: those of charts, and those that checks of `doctor` read. */
export const storedMeasures = {
  ...measures,
  /** Errors of scripts that hosted pages reported. */
  pageErrors: 'page_errors',
} as const
export type MeasureName = keyof typeof storedMeasures

/** Measures that are stored for days in UTC, because a person or check counts once in a day. They cannot be shown for days of another zone. */
const ofDays: ReadonlySet<string> = new Set([measures.applicationPeople, storedMeasures.pageErrors])

/** True for a measure, named as it is stored, that is counted by half hours. */
export const isOfHalfHours = (stored: string): boolean => !ofDays.has(stored)

/** Measures of the people who were active in a period. The first day names the period. */
export const peopleMeasures: Readonly<Record<PeriodKind, string>> = {
  day: 'people_by_day',
  week: 'people_by_week',
  month: 'people_by_month',
}

/** The row that stores when counting began at the latest. */
export const sinceName = 'since'

/** The name of the event reader that counts, and of the row with its position. */
export const readerName = 'statistics'
