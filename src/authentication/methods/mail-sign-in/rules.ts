/** The lifetime of the link and code in seconds. */
export const lifeSeconds = 600
/** The number of wrong codes that end a sign-in by mail. The link is invalid then too. */
export const mostAttempts = 3

interface Asked {
  readonly attempts: number
  readonly expiresAt: Date
}

/** The reason why a requested sign-in cannot continue; undefined if it can. The result is the same with and without an account. */
export const problemOf = (asked: Asked | undefined, now: Date): 'unknown' | 'expired' | 'ended' | undefined => {
  if (asked === undefined) return 'unknown'
  if (asked.expiresAt <= now) return 'expired'
  return asked.attempts >= mostAttempts ? 'ended' : undefined
}
