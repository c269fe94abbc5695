import { daySeconds } from '../../../core/time.ts'

/** Wrong passwords for one account, or from one known browser. */
export interface Failures {
  /** The count in the window, which causes the waits. */
  readonly recent: number
  /** All since the last right password. */
  readonly consecutive: number
  readonly lastAt: Date
  /** No password is checked before this time. */
  readonly waitUntil: Date | null
}

export interface ThrottlingPolicy {
  readonly freeAttempts: number
  readonly windowSeconds: number
  readonly firstWaitSeconds: number
  readonly longestWaitSeconds: number
  readonly resetAfter: number
  /** A count expires after this number of seconds without a wrong password; a lock lasts longer. */
  readonly keptSeconds: number
  /** Largest number of stored counts. */
  readonly mostKept: number
}

/** A lock needs a hundred wrong passwords with waits between them, so that locks cannot fill the table. */
export const lockKeptSeconds = 90 * daySeconds

/** For the shared counter of all untrusted clients. A network without wrong passwords of its own does not wait for it. */
export const sharedCounterPolicy = (policy: ThrottlingPolicy): ThrottlingPolicy => ({
  ...policy,
  freeAttempts: policy.freeAttempts * 3,
})

/** The result for a further attempt: refused, or counted as wrong before the password is checked. */
export type ThrottleDecision =
  | { readonly kind: 'locked' }
  | { readonly kind: 'waiting'; readonly seconds: number }
  | { readonly kind: 'counted'; readonly failures: Failures }

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000

const isExpired = ({ consecutive, lastAt, waitUntil }: Failures, now: Date, { resetAfter, keptSeconds }: ThrottlingPolicy) =>
  secondsBetween(waitUntil ?? lastAt, now) > (consecutive >= resetAfter ? lockKeptSeconds : keptSeconds)

/** Decides about an attempt at `now` (security baseline, section 7). An expired count is ignored even before it is deleted. */
export const decideAttempt = (stored: Failures | undefined, now: Date, policy: ThrottlingPolicy): ThrottleDecision => {
  const seen = stored === undefined || isExpired(stored, now, policy) ? undefined : stored
  if (seen !== undefined && seen.consecutive >= policy.resetAfter) return { kind: 'locked' }
  const until = seen?.waitUntil ?? null
  if (until !== null && until > now) return { kind: 'waiting', seconds: Math.ceil(secondsBetween(now, until)) }
  // The window runs from the end of the wait: time spent waiting does not make wrong passwords old.
  const quietSince = seen === undefined ? undefined : (until ?? seen.lastAt)
  const isWindowOver = quietSince === undefined || secondsBetween(quietSince, now) > policy.windowSeconds
  const recent = (isWindowOver ? 0 : (seen?.recent ?? 0)) + 1
  const beyond = recent - policy.freeAttempts
  const wait = Math.min(policy.longestWaitSeconds, policy.firstWaitSeconds * 2 ** Math.min(beyond, 30))
  const waitUntil = beyond < 0 ? null : new Date(now.getTime() + wait * 1000)
  return { kind: 'counted', failures: { recent, consecutive: (seen?.consecutive ?? 0) + 1, lastAt: now, waitUntil } }
}

/** Counts one more wrong password on a counter that makes others wait, without a new wait. */
export const increment = (seen: Failures, now: Date): Failures => ({
  ...seen,
  recent: seen.recent + 1,
  consecutive: seen.consecutive + 1,
  lastAt: now,
})

/**
 * The count without an attempt whose password was never checked; undefined when nothing is left. Its wait ends too: no attempt lasts
 * longer than that.
 */
export const decrement = (seen: Failures): Failures | undefined =>
  seen.consecutive <= 1
    ? undefined
    : { ...seen, recent: Math.max(0, seen.recent - 1), consecutive: seen.consecutive - 1, waitUntil: null }

/** Times of the last events about a count, so that they are not repeated. */
export interface Announced {
  readonly lockedAt: Date | null
  readonly slowedAt: Date | null
}

/** A wait that starts again within this number of seconds has no second event. */
const sameWaitSeconds = daySeconds

/**
 * The lock or wait that starts with a count: a lock is reported once, a wait once a day. Both reports are stored with the count, so that
 * an attacker gets at most one event for a hundred wrong passwords, and one a day and account for waits.
 */
export const announce = (
  failures: Failures,
  before: Announced | undefined,
  now: Date,
  { resetAfter }: ThrottlingPolicy,
): { readonly announced: Announced; readonly begins: 'lock' | 'wait' | undefined } => {
  // A new count: events of the expired one do not matter.
  const isNew = before === undefined || failures.consecutive === 1
  const lockedAt = isNew ? null : before.lockedAt
  const slowedAt = isNew ? null : before.slowedAt
  const unchanged = { announced: { lockedAt, slowedAt }, begins: undefined }
  if (failures.consecutive >= resetAfter)
    return lockedAt === null ? { announced: { lockedAt: now, slowedAt }, begins: 'lock' } : unchanged
  const isWaiting = failures.waitUntil !== null && failures.waitUntil > now
  const isSaid = slowedAt !== null && secondsBetween(slowedAt, now) <= sameWaitSeconds
  return isWaiting && !isSaid ? { announced: { lockedAt, slowedAt: now }, begins: 'wait' } : unchanged
}
