import type { Endpoint } from './contract.ts'

/** Counts hits; shared by all nodes. */
export interface Limiter {
  /** Counts one hit on `key`. Returns seconds to wait when there were more than `max` in the window, else 0. */
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
}

/** Seconds the client has to wait before this endpoint answers it, 0 when it may go on. Keys on the matched route, not the raw path. */
export const waitSeconds = async (limits: RateLimits, endpoint: Endpoint, address: string): Promise<number> => {
  if (endpoint.limit === 'none') return 0
  if (endpoint.limit === 'strict')
    return limits.limiter.hit(`strict:${endpoint.path}:${address}`, limits.strict.max, limits.strict.windowSeconds)
  return limits.limiter.hit(`general:${address}`, limits.general.max, limits.general.windowSeconds)
}
