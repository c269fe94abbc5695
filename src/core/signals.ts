import { afterCommit, isPostgres, signalChannel, type Tx, writePrepared } from './db/database.ts'
import type { Random } from './random.ts'

/**
 * Signals run jobs by name: on this node and, with PostgreSQL, on all other nodes. A signal may be lost. So a job that relies on signals
 * must also have a watch.
 */
export interface Signals {
  /** Runs a job when the transaction has committed. Takes one statement on PostgreSQL, and none on SQLite. */
  wake(tx: Tx, job: string): Promise<void>
  /**
   * Like `wake`, but without a statement of its own. Returns an SQL expression, with its values, that the caller puts into the
   * `returning` clause of another statement.
   */
  wakeWith(tx: Tx, job: string): { readonly sql: string; readonly values: readonly string[] } | undefined
  /** From now on, calls `listener` with the name of each job that a signal of this node runs. The returned function ends that. */
  onLocal(listener: (job: string) => void): () => void
  /** Reads the text of a notification that `Database.listen` has received. */
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
