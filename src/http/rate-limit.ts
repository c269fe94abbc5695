import type { Endpoint } from './contract.ts'

/** Counts hits. All nodes count together. */
export interface Limiter {
  /** Counts one hit for `key`. Returns 0 if there are at most `max` hits in the time window, and otherwise how many seconds to wait. */
  hit(key: string, max: number, windowSeconds: number): Promise<number>
}

export interface LimitRule {
  readonly max: number
  readonly windowSeconds: number
}

export interface RateLimits {
  readonly limiter: Limiter
  readonly general: LimitRule
  readonly strict: LimitRule
  readonly files: LimitRule
}

/** As what a request is counted: as a call (named by its contract), as a file of the pages, or as anything else (pages, unknown paths). */
export type Counted = Pick<Endpoint, 'limit' | 'path' | 'countedAs'> | 'file' | 'other'

/**
 * Counts a request, and returns how many seconds the client has to wait; 0 if the request is allowed. Calls with a strict limit are
 * counted by the path in their contract, so that all spellings of a path count together. All other calls share one count.
 */
export const waitSeconds = async (limits: RateLimits, counted: Counted, address: string): Promise<number> => {
  const hit = (key: string, { max, windowSeconds }: LimitRule) => limits.limiter.hit(`${key}:${address}`, max, windowSeconds)
  if (counted === 'file' || (typeof counted === 'object' && counted.limit === 'file')) return hit('files', limits.files)
  if (counted === 'other') return hit('general', limits.general)
  if (counted.limit === 'none') return 0
  return counted.limit === 'strict'
    ? hit(`strict:${counted.countedAs ?? counted.path}`, limits.strict)
    : hit('general', limits.general)
}
