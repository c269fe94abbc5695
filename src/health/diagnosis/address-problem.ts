import type { Clock } from '../../core/clock.ts'
import { hourSeconds } from '../../core/time.ts'

/**
 * Remembers recent requests from trusted proxies whose header contains no client address. Only the daemon that received the requests
 * knows about them.
 */
export interface AddressProblem {
  note(): void
  isRecent(): boolean
}

export const createAddressProblem = (clock: Clock): AddressProblem => {
  let seenAt: Date | undefined
  return {
    note: () => {
      seenAt = clock.now()
    },
    isRecent: () => seenAt !== undefined && seenAt > clock.after(-hourSeconds),
  }
}
