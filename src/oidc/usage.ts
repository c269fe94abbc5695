import type { Core } from '../core/core.ts'
import type { Tx } from '../core/db/database.ts'

/** Remembers when something was last used. Requests only note the time in memory, and a job writes it. */
export interface Usage {
  note(key: string): void
  /** Writes the noted uses. It writes the first use on this node, and then at most one in each interval. */
  flush(): Promise<void>
}

interface Writing {
  /** The shortest time in milliseconds between two writes for a key. */
  readonly everyMs: number
  /** Stores a use, unless a later one is stored. */
  readonly write: (tx: Tx, key: string, at: Date) => Promise<void>
}

const batch = 100
const maxInMemory = 50_000

export const createUsage = ({ transact, clock }: Pick<Core, 'transact' | 'clock'>, { everyMs, write }: Writing): Usage => {
  const used = new Map<string, Date>()
  /** The time of the last write of each key, in epoch milliseconds. */
  const written = new Map<string, number>()

  return {
    note: (key) => {
      const now = clock.now()
      if (used.size < maxInMemory && now.getTime() - (written.get(key) ?? 0) >= everyMs) used.set(key, now)
    },
    flush: async () => {
      const due = [...used]
      // The keys that were written longest ago are forgotten first.
      for (const key of [...written.keys()].slice(0, Math.max(0, written.size - maxInMemory))) written.delete(key)
      for (let from = 0; from < due.length; from += batch) {
        // The order prevents a deadlock between two nodes.
        const uses = due.slice(from, from + batch).sort(([a], [b]) => (a < b ? -1 : 1))
        await transact(async (tx) => {
          for (const [key, at] of uses) await write(tx, key, at)
        })
        for (const [key, at] of uses) {
          written.delete(key)
          written.set(key, at.getTime())
          if (used.get(key) === at) used.delete(key)
        }
      }
    },
  }
}
