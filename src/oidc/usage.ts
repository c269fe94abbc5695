import type { Core } from '../core/core.ts'
import type { Tx } from '../core/db/database.ts'

/** Times of last uses. Requests only note them in memory; a job writes them. */
export interface Usage {
  note(key: string): void
  /** Writes the noted uses: the first use on this node, then at most one in each interval. */
  flush(): Promise<void>
}

interface Writing {
  /** Shortest time between two writes for a key. */
  readonly everyMs: number
  /** Stores a use, unless a later one is stored. */
  readonly write: (tx: Tx, key: string, at: Date) => Promise<void>
}

const batch = 100
const maxInMemory = 50_000

export const createUsage = ({ transact, clock }: Pick<Core, 'transact' | 'clock'>, { everyMs, write }: Writing): Usage => {
  const used = new Map<string, Date>()
  /** Time of the last write, in milliseconds. */
  const written = new Map<string, number>()

  return {
    note: (key) => {
      const now = clock.now()
      if (used.size < maxInMemory && now.getTime() - (written.get(key) ?? 0) >= everyMs) used.set(key, now)
    },
    flush: async () => {
      const due = [...used]
      // The keys written longest ago are forgotten first.
      for (const key of [...written.keys()].slice(0, Math.max(0, written.size - maxInMemory))) written.delete(key)
      for (let from = 0; from < due.length; from += batch) {
        // Sorted, so that two nodes never wait for each other.
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
