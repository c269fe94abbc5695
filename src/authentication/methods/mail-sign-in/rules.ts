/** Life of link and code, in seconds. */
export const lifeSeconds = 600
/** Wrong codes that end a sign-in by mail, its link too. */
export const mostAttempts = 3

interface Asked {
  readonly attempts: number
  readonly expiresAt: Date
}

/** The obstacle of a requested sign-in; undefined where there is none. The same whether an account has the address or not. */
export const problemOf = (asked: Asked | undefined, now: Date): 'unknown' | 'expired' | 'ended' | undefined => {
  if (asked === undefined) return 'unknown'
  if (asked.expiresAt <= now) return 'expired'
  return asked.attempts >= mostAttempts ? 'ended' : undefined
}
