import type { Clock } from '../core/clock.ts'
import type { Transact } from '../core/database.ts'
import { addHits, deleteOld } from './store.ts'

/** Counts hits in windows; shared by all nodes through the database. */
export interface Limits {
  /** Counts one hit on `key`. Returns the seconds to wait when there were more than `max` in the window, else 0. */
  hit(key: string, max: number, windowSeconds: number): Promise<number>
  sweep(): Promise<void>
}

/** Hits a node takes from the database at once: a wide limit costs one write for several requests. */
const shareOf = (max: number) => Math.max(1, Math.floor(max / 10))

export const createLimits = ({ transact, clock }: { transact: Transact; clock: Clock }): Limits => {
  /** Hits already paid for in the database but not used yet, by key. Emptied when it grows. */
  const prepaid = new Map<string, { window: number; left: number }>()
  return {
    hit: async (key, max, windowSeconds) => {
      const now = clock.now().getTime()
      const length = windowSeconds * 1000
      const window = Math.floor(now / length) * length
      const wait = Math.max(1, Math.ceil((window + length - now) / 1000))
      const mine = prepaid.get(key)
      if (mine?.window === window && mine.left > 0) {
        mine.left -= 1
        return 0
      }
      const share = shareOf(max)
      const count = await transact((tx) => addHits(tx, key, window, share))
      const usable = share - Math.max(0, count - max)
      if (usable <= 0) return wait
      if (prepaid.size > 10_000) prepaid.clear()
      if (usable > 1) prepaid.set(key, { window, left: usable - 1 })
      return 0
    },
    sweep: async () => {
      await transact((tx) => deleteOld(tx, clock.now().getTime() - 86_400_000, 1_000))
    },
  }
}
