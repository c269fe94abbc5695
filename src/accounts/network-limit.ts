import type { Source } from '../core/caller.ts'
import { coreErrors } from '../core/errors.ts'
import { networkOf } from '../core/network.ts'
import type { Limits } from '../limits/index.ts'

/** How often one network may ask for something that costs us much, on all nodes together. */
export interface NetworkLimit {
  readonly limiter: Limits
  readonly max: number
  readonly windowSeconds: number
}

/**
 * Counts one request of the source's network for `what`. Without a limit it does nothing. Throws
 * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER.
 */
export const countNetwork = async (limit: NetworkLimit | undefined, what: 'passwords' | 'mails', { address }: Source) => {
  if (limit === undefined) return
  const retryAfterSeconds = await limit.limiter.hit(`${what}:${networkOf(address)}`, limit.max, limit.windowSeconds)
  if (retryAfterSeconds > 0) throw coreErrors.refuse('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds })
}
