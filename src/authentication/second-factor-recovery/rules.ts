import { daySeconds } from '../../core/time.ts'

/** The notices of a wait in their order. */
export const stages = ['requested', 'halfway', 'last-day', 'ready'] as const
export type Stage = (typeof stages)[number]

/** How long the recovery can be completed after the wait, in seconds. */
export const readySeconds = 7 * daySeconds
/** Least time between the starts of two waits, in seconds. */
export const restartSeconds = daySeconds
/** Lifetime of a mailed code, in seconds, and number of wrong tries. */
export const codeSeconds = 600
export const mostCodeAttempts = 3
/** Longest validity of notice links, in seconds: the longest wait, the time to complete it, and a margin for nodes that were down. */
export const linkSeconds = 90 * daySeconds

interface Times {
  readonly requestedAt: Date
  readonly readyAt: Date
}

/** The next notice and its time; undefined after the last. */
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
  /** True if there are second factors to remove. */
  readonly hasSecondFactor: boolean
  /** True if a role, an operator, an organization or instance permissions require two factors. */
  readonly isRequired: boolean
  /** True if the password came by mail, or is known to somebody else according to its owner, and no second factor was given with it since. */
  readonly isPasswordUnconfirmed: boolean
}

/**
 * Whether a wait may remove the second factors. Never for an account to which the mailbox alone gives access:
 * docs/design/second-factors.md#lost-factors.
 */
export const isAvailable = (facts: Situation): boolean =>
  facts.isOn && facts.emailVerified && facts.hasSecondFactor && !facts.isRequired && !facts.isPasswordUnconfirmed
