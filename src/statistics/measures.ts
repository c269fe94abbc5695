import type { PeriodKind } from './rules.ts'

/** Measures of each day, and their keys. The name is stored: a new name begins at zero. */
export const measures = {
  /** First method of the sign-in. */
  signIns: 'sign_ins',
  /** Federated sign-ins, by provider. */
  providerSignIns: 'provider_sign_ins',
  /** Reason, as in `explain-sign-in`. */
  failedSignIns: 'failed_sign_ins',
  signUps: 'sign_ups',
  /** People who got a token, by application. */
  applicationPeople: 'application_people',
  /** `sent` or `failed`. */
  mails: 'mails',
  /** Longest wait of a due task in seconds, by kind. */
  queueLag: 'queue_lag',
  /** Longest time between an event of the billing platform and its receipt in seconds, by endpoint. */
  webhookLag: 'webhook_lag',
} as const

/** All measures: those of charts, and those for checks of `doctor`. */
export const storedMeasures = {
  ...measures,
  /** Script errors that hosted pages reported. */
  pageErrors: 'page_errors',
} as const
export type MeasureName = keyof typeof storedMeasures

/** Measures of days in UTC, in which a person or check counts once: no other zone can use them. */
const ofDays: ReadonlySet<string> = new Set([measures.applicationPeople, storedMeasures.pageErrors])

/** True for a measure, by its stored name, with half hours. */
export const isOfHalfHours = (stored: string): boolean => !ofDays.has(stored)

/** People who were active in a period, which its first day names. */
export const peopleMeasures: Readonly<Record<PeriodKind, string>> = {
  day: 'people_by_day',
  week: 'people_by_week',
  month: 'people_by_month',
}

/** The row with the latest possible start of counting. */
export const sinceName = 'since'

/** The event reader that counts, and the row with its position. */
export const readerName = 'statistics'
