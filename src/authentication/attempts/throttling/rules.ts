import { daySeconds } from '../../../core/time.ts'

/** A counter of wrong passwords. Each key has a counter. */
export interface Failures {
  /** The number of wrong passwords in the present window. It decides how long clients have to wait. */
  readonly recent: number
  /** The number of wrong passwords since the last correct password. It decides about the lock. */
  readonly consecutive: number
  readonly lastAt: Date
  /** Passwords are refused unchecked until this time; null if they are not. */
  readonly waitUntil: Date | null
}

export interface ThrottlingPolicy {
  readonly freeAttempts: number
  readonly windowSeconds: number
  readonly firstWaitSeconds: number
  readonly longestWaitSeconds: number
  readonly resetAfter: number
  /** Seconds after the last wrong password after which a counter expires. A counter that locks is kept longer (`lockKeptSeconds`). */
  readonly keptSeconds: number
  /** The largest number of stored counters. */
  readonly mostKept: number
}

/** Seconds for which a lock is kept. Locks cannot fill the table, because each lock takes a hundred wrong passwords with waits in between. */
export const lockKeptSeconds = 90 * daySeconds

/**
 * The policy for the counter that all untrusted clients of one account share: three times as many attempts before the first wait. This
 * counter neither delays nor locks out a network that has no counted wrong password of its own.
 */
export const sharedCounterPolicy = (policy: ThrottlingPolicy): ThrottlingPolicy => ({
  ...policy,
  freeAttempts: policy.freeAttempts * 3,
})

/** The decision about an attempt: it is refused, or it is counted as a wrong password until its password was checked. */
export type ThrottleDecision =
  | { readonly kind: 'locked' }
  | { readonly kind: 'waiting'; readonly seconds: number }
  | { readonly kind: 'counted'; readonly failures: Failures }

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000

const isExpired = ({ consecutive, lastAt, waitUntil }: Failures, now: Date, { resetAfter, keptSeconds }: ThrottlingPolicy) =>
  secondsBetween(waitUntil ?? lastAt, now) > (consecutive >= resetAfter ? lockKeptSeconds : keptSeconds)

/** Decides about an attempt at `now` (security baseline, section 7). An expired counter is ignored, even if its row still exists. */
export const decideAttempt = (stored: Failures | undefined, now: Date, policy: ThrottlingPolicy): ThrottleDecision => {
  const seen = stored === undefined || isExpired(stored, now, policy) ? undefined : stored
  if (seen !== undefined && seen.consecutive >= policy.resetAfter) return { kind: 'locked' }
  const until = seen?.waitUntil ?? null
  if (until !== null && until > now) return { kind: 'waiting', seconds: Math.ceil(secondsBetween(now, until)) }
  // The window starts when the last wait ends. If it started earlier, wrong passwords would become old while the client waits.
  const quietSince = seen === undefined ? undefined : (until ?? seen.lastAt)
  const isWindowOver = quietSince === undefined || secondsBetween(quietSince, now) > policy.windowSeconds
  const recent = (isWindowOver ? 0 : (seen?.recent ?? 0)) + 1
  const beyond = recent - policy.freeAttempts
  const wait = Math.min(policy.longestWaitSeconds, policy.firstWaitSeconds * 2 ** Math.min(beyond, 30))
  const waitUntil = beyond < 0 ? null : new Date(now.getTime() + wait * 1000)
  return { kind: 'counted', failures: { recent, consecutive: (seen?.consecutive ?? 0) + 1, lastAt: now, waitUntil } }
}

/** Counts a wrong password on a shared counter while that counter makes other clients wait. The wait does not become longer. */
export const increment = (seen: Failures, now: Date): Failures => ({
  ...seen,
  recent: seen.recent + 1,
  consecutive: seen.consecutive + 1,
  lastAt: now,
})

/**
 * Takes back the count of an attempt whose password was not checked after all. Returns undefined if the counter is then zero. The wait is
 * removed too: it was caused by this attempt, because an attempt takes less time than a wait.
 */
export const decrement = (seen: Failures): Failures | undefined =>
  seen.consecutive <= 1
    ? undefined
    : { ...seen, recent: Math.max(0, seen.recent - 1), consecutive: seen.consecutive - 1, waitUntil: null }

/** The times at which the last lock and the last wait were recorded as events. They prevent a second event for the same lock or wait. */
export interface Announced {
  readonly lockedAt: Date | null
  readonly slowedAt: Date | null
}

/** If a wait starts within this number of seconds after a recorded wait, it is not recorded. */
const sameWaitSeconds = daySeconds

/**
 * Decides which event to record: the start of a lock, the start of a wait, or none. Each lock is recorded once. Waits are recorded at
 * most once a day. An attacker can therefore cause only a few events for each account. The times are stored with the counter.
 */
export const announce = (
  failures: Failures,
  before: Announced | undefined,
  now: Date,
  { resetAfter }: ThrottlingPolicy,
): { readonly announced: Announced; readonly begins: 'lock' | 'wait' | undefined } => {
  // A new counter has no recorded events. The recorded events of an expired counter are ignored.
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
