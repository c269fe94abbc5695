import { daySeconds } from '../../core/time.ts'

/** The notices of a recovery wait, in the order in which they are mailed. */
export const stages = ['requested', 'halfway', 'last-day', 'ready'] as const
export type Stage = (typeof stages)[number]

/** Seconds after the end of the wait in which the person can remove the second factors. */
export const readySeconds = 7 * daySeconds
/** The smallest number of seconds between the starts of two waits of a user. */
export const restartSeconds = daySeconds
/** Seconds for which a mailed code is valid. `codeAttempts` is the number of wrong codes that are allowed. */
export const codeSeconds = 600
export const mostCodeAttempts = 3
/**
 * The largest number of seconds for which the link in a notice is valid: the longest wait, the time in which factors can be removed, and
 * some time in which nodes were down.
 */
export const linkSeconds = 90 * daySeconds

interface Times {
  readonly requestedAt: Date
  readonly readyAt: Date
}

/** The next notice of a wait, and the time at which it is mailed; undefined after the last notice. */
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
  /** True if `secondFactor.recoveryWaitDays` is set. */
  readonly isOn: boolean
  readonly emailVerified: boolean
  /** True if the user has second factors to remove. */
  readonly hasSecondFactor: boolean
  /** True if a second factor is required of the user by a role, an operator, an organization or instance permissions. */
  readonly isRequired: boolean
  /**
   * True if the password was set by mail, or if the owner has reported that another person knows it. It becomes false when the user gives
   * the password together with a second factor.
   */
  readonly isPasswordUnconfirmed: boolean
}

/**
 * True if the user may remove all second factors after a wait. False if access to the mailbox alone would be enough to sign in after the
 * removal (docs/design/second-factors.md#lost-factors).
 */
export const isAvailable = (facts: Situation): boolean =>
  facts.isOn && facts.emailVerified && facts.hasSecondFactor && !facts.isRequired && !facts.isPasswordUnconfirmed
