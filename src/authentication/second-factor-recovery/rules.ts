import { daySeconds } from '../../core/time.ts'

/** Notices of one wait, in their order. */
export const stages = ['requested', 'halfway', 'last-day', 'ready'] as const
export type Stage = (typeof stages)[number]

/** How long who has waited may finish, in seconds. */
export const readySeconds = 7 * daySeconds
/** How soon after the beginning of one wait another one may begin, in seconds. */
export const restartSeconds = daySeconds
/** Life of a mailed code, in seconds, and its wrong tries. */
export const codeSeconds = 600
export const mostCodeAttempts = 3
/** For how long links of notices may count, in seconds: the longest wait, the time to use it afterwards, and nodes that were down. */
export const linkSeconds = 90 * daySeconds

interface Times {
  readonly requestedAt: Date
  readonly readyAt: Date
}

/** The next notice and when it is due; undefined after the last one. */
export const nextNotice = (
  stage: Stage,
  { requestedAt, readyAt }: Times,
): { readonly stage: Stage; readonly at: Date } | undefined => {
  const next = stages[stages.indexOf(stage) + 1]
  if (next === undefined || next === 'requested') return undefined
  const [from, to] = [requestedAt.getTime(), readyAt.getTime()]
  const times = { halfway: (from + to) / 2, 'last-day': to - daySeconds * 1000, ready: to }
  return { stage: next, at: new Date(times[next]) }
}

export interface Situation {
  /** `secondFactor.recoveryWaitDays` is set. */
  readonly isOn: boolean
  readonly emailVerified: boolean
  /** There are second factors to remove. */
  readonly hasSecondFactor: boolean
  /** Two factors are required by a role, a person, an organization, or because the role has permissions of the instance. */
  readonly isRequired: boolean
  /** The password came by mail, or its owner said that somebody else has it, and no second factor was given with it since. */
  readonly isPasswordUnconfirmed: boolean
}

/** Whether a wait may lead past the second factor. An account that opens by its mailbox alone never may: docs/design/second-factors.md#lost-factors. */
export const isAvailable = (facts: Situation): boolean =>
  facts.isOn && facts.emailVerified && facts.hasSecondFactor && !facts.isRequired && !facts.isPasswordUnconfirmed
