import type { Clock } from '../core/clock.ts'
import type { Transact, Tx } from '../core/database.ts'
import { sweep } from '../core/sweep.ts'
import { addHits, deleteOld } from './store.ts'

/** Counts hits in windows; shared by all nodes through the database. */
export interface Limits {
  /** Counts one hit on `key`. Returns the seconds to wait when there were more than `max` in the window, else 0. */
  hit(key: string, max: number, windowSeconds: number): Promise<number>
  /** The same for what a transaction does: rolled back, it does not count. One write each. */
  hitWithin(tx: Tx, key: string, max: number, windowSeconds: number): Promise<number>
  /** Deletes windows that began a day ago, the longest there are. */
  sweep(stop?: AbortSignal): Promise<unknown>
}

/** Hits a node takes from the database at once: a wide limit costs one write for several requests. */
const shareOf = (max: number) => Math.max(1, Math.floor(max / 10))

const windowAt = (now: number, length: number) => Math.floor(now / length) * length
const secondsLeft = (now: number, length: number) => Math.max(1, Math.ceil((windowAt(now, length) + length - now) / 1000))

interface Share {
  readonly window: number
  /** Hits paid for in the database and not used yet. */
  left: number
  /** Nothing is left in the database either. */
  isOver: boolean
  /** A purchase under way; others wait for it instead of buying as well. */
  buying: Promise<void> | undefined
}

const mostShares = 10_000

export const createLimits = ({ transact, clock }: { transact: Transact; clock: Clock }): Limits => {
  const shares = new Map<string, Share>()

  const shareFor = (key: string, window: number): Share => {
    const known = shares.get(key)
    if (known?.window === window) return known
    if (shares.size >= mostShares) shares.clear()
    const share = { window, left: 0, isOver: false, buying: undefined }
    shares.set(key, share)
    return share
  }

  const buy = async (share: Share, key: string, max: number) => {
    const hits = shareOf(max)
    const count = await transact((tx) => addHits(tx, key, share.window, hits))
    share.left += Math.max(0, hits - Math.max(0, count - max))
    share.isOver = count >= max
  }

  return {
    hit: async (key, max, windowSeconds) => {
      const now = clock.now().getTime()
      const length = windowSeconds * 1000
      const share = shareFor(key, windowAt(now, length))
      while (share.left === 0 && !share.isOver) {
        share.buying ??= buy(share, key, max).finally(() => {
          share.buying = undefined
        })
        await share.buying
      }
      if (share.left === 0) return secondsLeft(now, length)
      share.left -= 1
      return 0
    },
    hitWithin: async (tx, key, max, windowSeconds) => {
      const now = clock.now().getTime()
      const length = windowSeconds * 1000
      return (await addHits(tx, key, windowAt(now, length), 1)) > max ? secondsLeft(now, length) : 0
    },
    sweep: (stop) => {
      const before = clock.now().getTime() - 86_400_000
      return sweep(transact, (tx, limit) => deleteOld(tx, before, limit), stop)
    },
  }
}
