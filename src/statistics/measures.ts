import type { PeriodKind } from './rules.ts'

/** What is counted for each day, and what its keys are. The name is stored: a new one begins anew. */
export const measures = {
  /** Method by which the sign-in began. */
  signIns: 'sign_ins',
  /** Sign-ins with a provider, by provider. */
  providerSignIns: 'provider_sign_ins',
  /** Reason, as `explain-sign-in` knows it. */
  failedSignIns: 'failed_sign_ins',
  signUps: 'sign_ups',
  /** People who got a token, by application. */
  applicationPeople: 'application_people',
  /** `sent` or `failed`. */
  mails: 'mails',
  /** Longest wait of a task that was due, in seconds, by kind. */
  queueLag: 'queue_lag',
  /** Longest time between an event of the billing platform and its receipt, in seconds, by endpoint. */
  webhookLag: 'webhook_lag',
} as const

/** All measures: the ones of charts, and the ones that only checks of `doctor` read. */
export const storedMeasures = {
  ...measures,
  /** Errors of scripts that hosted pages reported. */
  pageErrors: 'page_errors',
} as const
export type MeasureName = keyof typeof storedMeasures

/** Counted once for each day in UTC, because a person, or a check, counts once in it: no other zone can be made of them. */
const ofDays: ReadonlySet<string> = new Set([measures.applicationPeople, storedMeasures.pageErrors])

/** True for a measure, by the name it is stored under, of which half hours are stored. */
export const isOfHalfHours = (stored: string): boolean => !ofDays.has(stored)

/** People who were active in a period; the day is its first one. */
export const peopleMeasures: Readonly<Record<PeriodKind, string>> = {
  day: 'people_by_day',
  week: 'people_by_week',
  month: 'people_by_month',
}

/** The row that says since when numbers are counted, at the latest. */
export const sinceName = 'since'

/** The reader of events that counts them, and the row that says how far it has. */
export const readerName = 'statistics'
