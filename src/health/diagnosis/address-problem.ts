import type { Clock } from '../../core/clock.ts'
import { hourSeconds } from '../../core/time.ts'

/** Whether requests of trusted proxies came lately whose header names no client address. Known to the daemon that got them. */
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
