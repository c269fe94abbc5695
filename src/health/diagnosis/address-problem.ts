import type { Clock } from '../../core/clock.ts'
import { hourSeconds } from '../../core/time.ts'

/** Finds recent requests of trusted proxies whose header contains no client address. Only the daemon that received them knows about them. */
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
