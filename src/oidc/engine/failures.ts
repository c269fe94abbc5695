import type { Clock } from '../../core/clock.ts'
import type { Limits } from '../../limits/index.ts'

/** Counts what guessing produces: wrong secrets, codes and refresh tokens, by address and client. A success is never counted. */
export interface Failures {
  /** Seconds this client has to wait at this address, 0 when it may go on. Asks nobody. */
  wait(address: string, clientId: string | undefined): number
  /** Counts one; the seconds to wait from now on, or 0. */
  count(address: string, clientId: string | undefined): Promise<number>
}

interface Deps {
  readonly clock: Clock
  /** Undefined when limits are off. */
  readonly limiter: Pick<Limits, 'hit'> | undefined
}

const [max, windowSeconds] = [20, 10]
const mostWaiting = 10_000

/** All unknown clients of an address are one: who guesses identifiers takes another each time. */
const keyOf = (address: string, clientId = '?') => `oidc:${clientId}:${address}`

export const createFailures = ({ clock, limiter }: Deps): Failures => {
  /** When a key may go on, in milliseconds. */
  const waiting = new Map<string, number>()
  return {
    wait: (address, clientId) => {
      const until = waiting.size === 0 ? 0 : (waiting.get(keyOf(address, clientId)) ?? 0)
      return Math.max(0, Math.ceil((until - clock.now().getTime()) / 1000))
    },
    count: async (address, clientId) => {
      const key = keyOf(address, clientId)
      const seconds = (await limiter?.hit(key, max, windowSeconds)) ?? 0
      if (waiting.size >= mostWaiting) waiting.clear()
      if (seconds > 0) waiting.set(key, clock.now().getTime() + seconds * 1000)
      return seconds
    },
  }
}
