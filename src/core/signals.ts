import { afterCommit, isPostgres, signalChannel, type Tx, writePrepared } from './db/database.ts'
import type { Random } from './random.ts'

/**
 * Wakes jobs by name: on this node and, on PostgreSQL, on all other nodes. A signal may be lost, so a job that needs signals also has a
 * watch.
 */
export interface Signals {
  /** Wakes a job after the commit. Costs a statement on PostgreSQL, and none on SQLite. */
  wake(tx: Tx, job: string): Promise<void>
  /** Wakes a job without a statement of its own. `notify` is an expression, with values, for the `returning` clause of another statement. */
  wakeWith(tx: Tx, job: string): { readonly sql: string; readonly values: readonly string[] } | undefined
  /** Calls `listener` with the name of each job that this node wakes. The returned function ends that. */
  onLocal(listener: (job: string) => void): () => void
  /** Reads a notification of `Database.listen`. */
  read(text: string): { readonly job: string; readonly isOwn: boolean }
}

export const createSignals = (random: Random): Signals => {
  const node = random.id()
  const listeners = new Set<(job: string) => void>()
  const wakeWith: Signals['wakeWith'] = (tx, job) => {
    afterCommit(tx, () => {
      for (const listener of listeners) listener(job)
    })
    return isPostgres(tx) ? { sql: `pg_notify('${signalChannel}', ?)`, values: [`${node} ${job}`] } : undefined
  }
  return {
    wakeWith,
    wake: async (tx, job) => {
      const notify = wakeWith(tx, job)
      if (notify !== undefined) await writePrepared(tx, { name: 'signal', sql: `select ${notify.sql}` }, notify.values)
    },
    onLocal: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    read: (text) => {
      const [from, job = ''] = text.split(' ')
      return { job, isOwn: from === node }
    },
  }
}
