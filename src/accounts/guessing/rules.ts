/** Wrong passwords given for one account, or from one known browser. */
export interface Failures {
  /** In the window: what slows down. */
  readonly recent: number
  /** Since the last right one. */
  readonly consecutive: number
  readonly lastAt: Date
  /** No attempt is looked at before. */
  readonly waitUntil: Date | null
}

export interface GuessingPolicy {
  readonly freeAttempts: number
  readonly windowSeconds: number
  readonly firstWaitSeconds: number
  readonly longestWaitSeconds: number
  readonly resetAfter: number
  /** A count is forgotten after so many seconds without another wrong password; a lock lasts longer. */
  readonly keptSeconds: number
  /** Counts kept in all. */
  readonly mostKept: number
}

/** A lock took a hundred wrong passwords with waits between them: strangers fill no table with these. */
export const lockKeptSeconds = 90 * 86_400

/** For all strangers to one address together: slower to wait, since a network without wrong passwords of its own does not. */
export const together = (policy: GuessingPolicy): GuessingPolicy => ({ ...policy, freeAttempts: policy.freeAttempts * 3 })

/** What becomes of one more attempt: refused, or looked at and counted as wrong until it proves right. */
export type Attempt =
  | { readonly kind: 'locked' }
  | { readonly kind: 'waiting'; readonly seconds: number }
  | { readonly kind: 'counted'; readonly failures: Failures }

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000

const isForgotten = ({ consecutive, lastAt, waitUntil }: Failures, now: Date, { resetAfter, keptSeconds }: GuessingPolicy) =>
  secondsBetween(waitUntil ?? lastAt, now) > (consecutive >= resetAfter ? lockKeptSeconds : keptSeconds)

/** Decides about an attempt at `now` (security baseline, section 7). What is forgotten counts for nothing, whether it is deleted yet or not. */
export const attemptAt = (stored: Failures | undefined, now: Date, policy: GuessingPolicy): Attempt => {
  const seen = stored === undefined || isForgotten(stored, now, policy) ? undefined : stored
  if (seen !== undefined && seen.consecutive >= policy.resetAfter) return { kind: 'locked' }
  const until = seen?.waitUntil ?? null
  if (until !== null && until > now) return { kind: 'waiting', seconds: Math.ceil(secondsBetween(now, until)) }
  // Waiting is not forgetting: the window runs from the end of the wait.
  const quietSince = seen === undefined ? undefined : (until ?? seen.lastAt)
  const isOver = quietSince === undefined || secondsBetween(quietSince, now) > policy.windowSeconds
  const recent = (isOver ? 0 : (seen?.recent ?? 0)) + 1
  const beyond = recent - policy.freeAttempts
  const wait = Math.min(policy.longestWaitSeconds, policy.firstWaitSeconds * 2 ** Math.min(beyond, 30))
  const waitUntil = beyond < 0 ? null : new Date(now.getTime() + wait * 1000)
  return { kind: 'counted', failures: { recent, consecutive: (seen?.consecutive ?? 0) + 1, lastAt: now, waitUntil } }
}

/** One more wrong password while the others wait. */
export const alsoAt = (seen: Failures, now: Date): Failures => ({
  ...seen,
  recent: seen.recent + 1,
  consecutive: seen.consecutive + 1,
  lastAt: now,
})

/** The count without an attempt that was never looked at; undefined when nothing is left. Longer than its wait no attempt lasts. */
export const withoutOne = (seen: Failures): Failures | undefined =>
  seen.consecutive <= 1
    ? undefined
    : { ...seen, recent: Math.max(0, seen.recent - 1), consecutive: seen.consecutive - 1, waitUntil: null }
