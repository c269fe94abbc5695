/** Lifetime of link and code, in seconds. */
export const lifeSeconds = 600
/** Number of wrong codes that end a sign-in by mail, including its link. */
export const mostAttempts = 3

interface Asked {
  readonly attempts: number
  readonly expiresAt: Date
}

/** The obstacle of a requested sign-in; undefined without one. The same with and without an account. */
export const problemOf = (asked: Asked | undefined, now: Date): 'unknown' | 'expired' | 'ended' | undefined => {
  if (asked === undefined) return 'unknown'
  if (asked.expiresAt <= now) return 'expired'
  return asked.attempts >= mostAttempts ? 'ended' : undefined
}
