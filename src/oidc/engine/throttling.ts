import { errors } from 'oidc-provider'
import type { Clock } from '../../core/clock.ts'
import type { Limits } from '../../limits/index.ts'

/** Counts wrong secrets, codes and refresh tokens of each client in each network, to stop guessing. Successful requests are not counted. */
export interface Throttling {
  /**
   * The number of seconds that this client has to wait in this network; 0 if it need not wait. The answer comes from memory, without a
   * statement.
   */
  wait(networkKey: string, clientId: string | undefined): number
  /** Counts a failure. Returns the number of seconds that the client has to wait from now on; 0 if it need not wait. */
  count(networkKey: string, clientId: string | undefined): Promise<number>
}

interface Deps {
  readonly clock: Clock
  /** Undefined if limits are disabled. */
  readonly limiter: Pick<Limits, 'hit'> | undefined
}

const [max, windowSeconds] = [20, 10]
const maxWaiting = 10_000

/** All unknown clients of a network share a counter. Otherwise an attacker could send a new `client_id` each time. */
const keyOf = (networkKey: string, clientId = '?') => `oidc:${clientId}:${networkKey}`

export const createThrottling = ({ clock, limiter }: Deps): Throttling => {
  /** The time at which the wait of each counter ends, in milliseconds since the epoch. */
  const waiting = new Map<string, number>()
  return {
    wait: (networkKey, clientId) => {
      const until = waiting.size === 0 ? 0 : (waiting.get(keyOf(networkKey, clientId)) ?? 0)
      return Math.max(0, Math.ceil((until - clock.now().getTime()) / 1000))
    },
    count: async (networkKey, clientId) => {
      const key = keyOf(networkKey, clientId)
      const seconds = (await limiter?.hit(key, max, windowSeconds)) ?? 0
      if (waiting.size >= maxWaiting) waiting.clear()
      if (seconds > 0) waiting.set(key, clock.now().getTime() + seconds * 1000)
      return seconds
    },
  }
}

/** The error code and description of the answer to a client with too many failures. */
export const throttledAnswer = ['temporarily_unavailable', 'Too many failed requests; try again later'] as const

export const throttledError = (): Error =>
  Object.assign(new errors.CustomOIDCProviderError(...throttledAnswer), { status: 429, statusCode: 429 })
