import type { Core } from '../../core/core.ts'
import * as store from './store.ts'

/** When each client secret was last used. The token endpoint only notes it in memory; a job writes. */
export interface SecretUsage {
  note(id: string): void
  /** Writes what is due: the first use of a secret at once, later ones not more often than every few minutes. */
  flush(): Promise<void>
}

const everyMs = 5 * 60_000
const batch = 100
const maxInMemory = 20_000

export const createSecretUsage = ({ transact, clock }: Pick<Core, 'transact' | 'clock'>): SecretUsage => {
  const used = new Map<string, Date>()
  /** When a use was last written, in milliseconds. */
  const written = new Map<string, number>()

  return {
    note: (id) => {
      if (used.size < maxInMemory) used.set(id, clock.now())
    },
    flush: async () => {
      const due = [...used].filter(([id, at]) => at.getTime() - (written.get(id) ?? 0) >= everyMs)
      if (written.size > maxInMemory) written.clear()
      for (let from = 0; from < due.length; from += batch) {
        // In one order, so that two nodes never wait for each other.
        const uses = due.slice(from, from + batch).sort(([a], [b]) => (a < b ? -1 : 1))
        await transact(async (tx) => {
          for (const [id, at] of uses) await store.noteUse(tx, id, at)
        })
        for (const [id, at] of uses) {
          written.set(id, at.getTime())
          if (used.get(id) === at) used.delete(id)
        }
      }
    },
  }
}
