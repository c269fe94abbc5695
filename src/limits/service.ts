import type { Clock } from '../core/clock.ts'
import type { Db, Transact, Tx } from '../core/db/database.ts'
import { type Retention, retentionOfRows } from '../core/retention.ts'
import { daySeconds } from '../core/time.ts'
import { addHits, countersBefore } from './store.ts'

/** Counts hits in windows of time, for rate limits. The counts are in the database, so they hold for all nodes together. */
export interface Limits {
  /** Counts one hit for `key`. Returns 0, or the seconds until the next window if this window already has more than `max` hits. */
  hit(key: string, max: number, windowSeconds: number): Promise<number>
  /** Like `hit`, but counts in the caller's transaction with a single write. A rollback also takes the hit back. */
  hitWithin(tx: Tx, key: string, max: number, windowSeconds: number): Promise<number>
  /** The retention that deletes windows which began more than a day ago. No window is longer than that. */
  readonly retention: Retention
}

/** How many hits a node reserves in the database at once. With a high limit, several requests then need only one write. */
const leaseSizeOf = (max: number) => Math.max(1, Math.floor(max / 10))

const windowAt = (now: number, length: number) => Math.floor(now / length) * length
const secondsLeft = (now: number, length: number) => Math.max(1, Math.ceil((windowAt(now, length) + length - now) / 1000))

interface QuotaLease {
  readonly window: number
  /** Hits that this node has reserved, but not used yet. */
  left: number
  /** True if this window has no hits left in the database. */
  isExhausted: boolean
  /** The reservation of further hits that is running now. Other requests wait for it. */
  acquiring: Promise<void> | undefined
}

const maxLeases = 10_000

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly single: Transact
  readonly clock: Clock
}

export const createLimits = ({ db, transact, single, clock }: Deps): Limits => {
  const leases = new Map<string, QuotaLease>()

  const leaseFor = (key: string, window: number): QuotaLease => {
    const known = leases.get(key)
    if (known?.window === window) return known
    if (leases.size >= maxLeases) leases.clear()
    const lease = { window, left: 0, isExhausted: false, acquiring: undefined }
    leases.set(key, lease)
    return lease
  }

  const acquire = async (lease: QuotaLease, key: string, max: number) => {
    const hits = leaseSizeOf(max)
    const count = await single((tx) => addHits(tx, key, lease.window, hits))
    lease.left += Math.max(0, hits - Math.max(0, count - max))
    lease.isExhausted = count >= max
  }

  return {
    hit: async (key, max, windowSeconds) => {
      const now = clock.now().getTime()
      const length = windowSeconds * 1000
      const lease = leaseFor(key, windowAt(now, length))
      while (lease.left === 0 && !lease.isExhausted) {
        lease.acquiring ??= acquire(lease, key, max).finally(() => {
          lease.acquiring = undefined
        })
        await lease.acquiring
      }
      if (lease.left === 0) return secondsLeft(now, length)
      lease.left -= 1
      return 0
    },
    hitWithin: async (tx, key, max, windowSeconds) => {
      const now = clock.now().getTime()
      const length = windowSeconds * 1000
      return (await addHits(tx, key, windowAt(now, length), 1)) > max ? secondsLeft(now, length) : 0
    },
    retention: retentionOfRows({ db, transact }, 'rate limits', 'whose window began more than a day ago', () =>
      countersBefore(clock.after(-daySeconds)),
    ),
  }
}
