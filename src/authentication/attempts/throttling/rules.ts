import { daySeconds } from '../../../core/time.ts'

/** The wrong passwords that are counted under one key. */
export interface Failures {
  /** The wrong passwords in the current window. This number decides about waits. */
  readonly recent: number
  /** All wrong passwords since the last correct password. */
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
  /** Seconds without a wrong password after which a count expires. A lock is kept longer (`lockKeptSeconds`). */
  readonly keptSeconds: number
  /** The largest number of stored counts. */
  readonly mostKept: number
}

/** Seconds for which a lock is kept. A lock takes a hundred wrong passwords with waits in between, so locks cannot fill the table. */
export const lockKeptSeconds = 90 * daySeconds

/**
 * The policy for the counter that all untrusted clients of an account share. It allows three times as many free attempts. A network that
 * has sent no wrong password itself does not wait for this counter.
 */
export const sharedCounterPolicy = (policy: ThrottlingPolicy): ThrottlingPolicy => ({
  ...policy,
  freeAttempts: policy.freeAttempts * 3,
})

/** The result for an attempt. It is refused, or it is counted as wrong until its password is checked. */
export type ThrottleDecision =
  | { readonly kind: 'locked' }
  | { readonly kind: 'waiting'; readonly seconds: number }
  | { readonly kind: 'counted'; readonly failures: Failures }

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000

const isExpired = ({ consecutive, lastAt, waitUntil }: Failures, now: Date, { resetAfter, keptSeconds }: ThrottlingPolicy) =>
  secondsBetween(waitUntil ?? lastAt, now) > (consecutive >= resetAfter ? lockKeptSeconds : keptSeconds)

/** Decides about an attempt at `now` (security baseline, section 7). An expired count is ignored even if it is not deleted yet. */
export const decideAttempt = (stored: Failures | undefined, now: Date, policy: ThrottlingPolicy): ThrottleDecision => {
  const seen = stored === undefined || isExpired(stored, now, policy) ? undefined : stored
  if (seen !== undefined && seen.consecutive >= policy.resetAfter) return { kind: 'locked' }
  const until = seen?.waitUntil ?? null
  if (until !== null && until > now) return { kind: 'waiting', seconds: Math.ceil(secondsBetween(now, until)) }
  // The window starts at the end of the wait. Otherwise wrong passwords would become old during the wait.
  const quietSince = seen === undefined ? undefined : (until ?? seen.lastAt)
  const isWindowOver = quietSince === undefined || secondsBetween(quietSince, now) > policy.windowSeconds
  const recent = (isWindowOver ? 0 : (seen?.recent ?? 0)) + 1
  const beyond = recent - policy.freeAttempts
  const wait = Math.min(policy.longestWaitSeconds, policy.firstWaitSeconds * 2 ** Math.min(beyond, 30))
  const waitUntil = beyond < 0 ? null : new Date(now.getTime() + wait * 1000)
  return { kind: 'counted', failures: { recent, consecutive: (seen?.consecutive ?? 0) + 1, lastAt: now, waitUntil } }
}

/** Counts another wrong password on the shared counter while it makes clients wait. The wait does not become longer. */
export const increment = (seen: Failures, now: Date): Failures => ({
  ...seen,
  recent: seen.recent + 1,
  consecutive: seen.consecutive + 1,
  lastAt: now,
})

/**
 * Takes back an attempt whose password was never checked. Returns undefined if no count is left. The wait is taken back too, because no
 * attempt takes longer than a wait.
 */
export const decrement = (seen: Failures): Failures | undefined =>
  seen.consecutive <= 1
    ? undefined
    : { ...seen, recent: Math.max(0, seen.recent - 1), consecutive: seen.consecutive - 1, waitUntil: null }

/** The times at which a lock and a wait were last recorded as events, so that neither is recorded again. */
export interface Announced {
  readonly lockedAt: Date | null
  readonly slowedAt: Date | null
}

/** A wait that starts again within this number of seconds is not recorded again. */
const sameWaitSeconds = daySeconds

/**
 * Decides which event to record: the start of a lock or of a wait. A lock is recorded once, and waits are recorded once a day. The times
 * are stored with the count. An attacker can therefore cause at most one event for a lock, and one event a day and account for waits.
 */
export const announce = (
  failures: Failures,
  before: Announced | undefined,
  now: Date,
  { resetAfter }: ThrottlingPolicy,
): { readonly announced: Announced; readonly begins: 'lock' | 'wait' | undefined } => {
  // A new count has no events yet. Events of an expired count do not matter.
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
