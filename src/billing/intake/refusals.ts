import type { Clock } from '../../core/clock.ts'
import type { Db, Transact } from '../../core/database.ts'
import { networkOf } from '../../core/network.ts'
import * as store from './store/refusals.ts'

/** The trace of deliveries that nobody we know has signed: how many, why and from where, never what was in them. */
export interface Refusals {
  /** Counts one. Costs no SQL: a flood of forgeries must not slow down what is signed. */
  note(endpoint: string, reason: string, address: string): void
  /** Writes down what was counted since the last time. */
  flush(): Promise<void>
  list(limit: number): Promise<readonly store.Refusal[]>
}

/** Kept apart between two flushes; what comes from further networks is counted together. */
const mostCounted = 100
/** Rows kept in all. */
const mostKept = 1_000

export const createRefusals = ({ db, transact, clock }: { db: Db; transact: Transact; clock: Clock }): Refusals => {
  let counted = new Map<string, store.Refusal>()
  let flushing = Promise.resolve()

  const write = async () => {
    if (counted.size === 0) return
    const rows = [...counted.values()].sort((a, b) => (a.address < b.address ? -1 : 1))
    counted = new Map()
    await transact(async (tx) => {
      await store.addRefusals(tx, rows)
      await store.trimRefusals(tx, mostKept)
    })
  }

  return {
    note: (endpoint, reason, address) => {
      const keyOf = (network: string) => `${endpoint} ${reason} ${network}`
      const own = networkOf(address)
      const network = counted.has(keyOf(own)) || counted.size < mostCounted ? own : ''
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
      // One after the other: once it is done, all that was noted before it began is written down.
      flushing = flushing.catch(() => undefined).then(write)
      return flushing
    },
    list: (limit) => store.listRefusals(db, limit),
  }
}
