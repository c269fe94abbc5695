import type { Core } from '../core/core.ts'
import type { Tx } from '../core/db/database.ts'

/** Remembers when something, such as a secret, was last used. A request only notes the time in memory. A job writes the noted times. */
export interface Usage {
  note(key: string): void
  /**
   * Writes the noted times. The first use of a key on this node is always written. Later uses of the key are written at most once in each
   * interval.
   */
  flush(): Promise<void>
}

interface Writing {
  /** The shortest time in milliseconds between two writes for one key. */
  readonly everyMs: number
  /** Stores the time of a use, unless a later time is stored. */
  readonly write: (tx: Tx, key: string, at: Date) => Promise<void>
}

const batch = 100
const maxInMemory = 50_000

export const createUsage = ({ transact, clock }: Pick<Core, 'transact' | 'clock'>, { everyMs, write }: Writing): Usage => {
  const used = new Map<string, Date>()
  /** The time of the last write for each key, in milliseconds since the epoch. */
  const written = new Map<string, number>()

  return {
    note: (key) => {
      const now = clock.now()
      if (used.size < maxInMemory && now.getTime() - (written.get(key) ?? 0) >= everyMs) used.set(key, now)
    },
    flush: async () => {
      const due = [...used]
      // If there are too many keys, the keys that were written longest ago are forgotten.
      for (const key of [...written.keys()].slice(0, Math.max(0, written.size - maxInMemory))) written.delete(key)
      for (let from = 0; from < due.length; from += batch) {
        // The uses are sorted, so that two nodes that write the same rows cannot deadlock.
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
