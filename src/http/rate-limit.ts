import type { Endpoint } from './contract.ts'

/** Counts hits for all nodes together. */
export interface Limiter {
  /** Counts a hit on `key`. Returns 0, or the seconds to wait if the window has more than `max` hits. */
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

/** What a request is counted as: a call (by its contract), a file of the pages, or anything else (pages, unknown paths). */
export type Counted = Pick<Endpoint, 'limit' | 'path' | 'countedAs'> | 'file' | 'other'

/** Seconds that the client has to wait; 0 if the request is allowed. Requests are counted by the matched route, not by the raw path. */
export const waitSeconds = async (limits: RateLimits, counted: Counted, address: string): Promise<number> => {
  const hit = (key: string, { max, windowSeconds }: LimitRule) => limits.limiter.hit(`${key}:${address}`, max, windowSeconds)
  if (counted === 'file' || (typeof counted === 'object' && counted.limit === 'file')) return hit('files', limits.files)
  if (counted === 'other') return hit('general', limits.general)
  if (counted.limit === 'none') return 0
  return counted.limit === 'strict'
    ? hit(`strict:${counted.countedAs ?? counted.path}`, limits.strict)
    : hit('general', limits.general)
}
