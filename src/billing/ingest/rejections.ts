import type { Clock } from '../../core/clock.ts'
import type { Db, Transact } from '../../core/db/database.ts'
import { networkOf } from '../../core/network.ts'
import * as store from './store/endpoints.ts'

/** Counts deliveries without a valid signature, by endpoint, reason and network. Their content is never stored. */
export interface Rejections {
  /** Counts one delivery in memory, so that a forged request costs no SQL. */
  record(endpoint: string, reason: string, address: string): void
  /** Writes to the database what was counted since the last call. */
  flush(): Promise<void>
  list(limit: number): Promise<readonly store.RejectionRow[]>
}

/** Largest number of networks that are counted separately between two writes. All further networks share one count. */
const maxCounted = 100
/** Largest number of rows in the table of rejections. */
const maxStored = 1_000

export const createRejections = ({ db, transact, clock }: { db: Db; transact: Transact; clock: Clock }): Rejections => {
  let counted = new Map<string, store.RejectionRow>()
  let flushing = Promise.resolve()

  const write = async () => {
    if (counted.size === 0) return
    const rows = [...counted.values()].sort((a, b) => (a.address < b.address ? -1 : 1))
    counted = new Map()
    await transact(async (tx) => {
      await store.addRejections(tx, rows)
      await store.trimRejections(tx, maxStored)
    })
  }

  return {
    record: (endpoint, reason, address) => {
      const keyOf = (network: string) => `${endpoint} ${reason} ${network}`
      const own = networkOf(address)
      const network = counted.has(keyOf(own)) || counted.size < maxCounted ? own : ''
      const now = clock.now()
      const before = counted.get(keyOf(network))
      counted.set(keyOf(network), {
        endpoint,
        reason,
        address: network,
        count: (before?.count ?? 0) + 1,
        firstSeenAt: before?.firstSeenAt ?? now,
        lastSeenAt: now,
      })
    },
    flush: () => {
      // A write starts after the previous one. So when this promise resolves, everything that was counted before the call is stored.
      flushing = flushing.catch(() => undefined).then(write)
      return flushing
    },
    list: (limit) => store.listRejections(db, limit),
  }
}
