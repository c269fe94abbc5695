/** The lifetime in seconds of the mailed link and code. */
export const lifeSeconds = 600
/** The number of wrong codes after which a sign-in by mail ends. Its link is then invalid too. */
export const mostAttempts = 3

interface Asked {
  readonly attempts: number
  readonly expiresAt: Date
}

/**
 * Returns the reason why a requested sign-in cannot continue; undefined if it can. The result is the same whether or not the mail address
 * has an account.
 */
export const problemOf = (asked: Asked | undefined, now: Date): 'unknown' | 'expired' | 'ended' | undefined => {
  if (asked === undefined) return 'unknown'
  if (asked.expiresAt <= now) return 'expired'
  return asked.attempts >= mostAttempts ? 'ended' : undefined
}
