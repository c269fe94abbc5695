import type { Clock } from '../core/clock.ts'
import type { Db, Transact, Tx } from '../core/db/database.ts'
import { type Retention, retentionOfRows } from '../core/retention.ts'
import { daySeconds } from '../core/time.ts'
import { addHits, countersBefore } from './store.ts'

/** Counts hits in windows, for all nodes together, in the database. */
export interface Limits {
  /** Counts a hit on `key`. Returns the seconds to wait for more than `max` hits in the window, else 0. */
  hit(key: string, max: number, windowSeconds: number): Promise<number>
  /** Counts a hit in a transaction; a rollback undoes it. One write each. */
  hitWithin(tx: Tx, key: string, max: number, windowSeconds: number): Promise<number>
  /** Retention of windows that began a day ago, the longest ones. */
  readonly retention: Retention
}

/** Number of hits that a node acquires from the database at once, so that a wide limit costs one write for several requests. */
const leaseSizeOf = (max: number) => Math.max(1, Math.floor(max / 10))

const windowAt = (now: number, length: number) => Math.floor(now / length) * length
const secondsLeft = (now: number, length: number) => Math.max(1, Math.ceil((windowAt(now, length) + length - now) / 1000))

interface QuotaLease {
  readonly window: number
  /** Acquired and unused hits. */
  left: number
  /** True if the database has none left. */
  isExhausted: boolean
  /** A running acquisition, for which other requests wait. */
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
