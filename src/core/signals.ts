import { afterCommit, isPostgres, signalChannel, type Tx, writePrepared } from './db/database.ts'
import type { Random } from './random.ts'

/** Wakes jobs by name, on this node and, on PostgreSQL, on all others. A signal may be lost: a job that needs one has a watch as well. */
export interface Signals {
  /** Wakes a job once the transaction is committed. One statement more on PostgreSQL, none on SQLite. */
  wake(tx: Tx, job: string): Promise<void>
  /** Wakes without a further statement: `notify` is an expression, with its values, for the `returning` of a statement that is sent anyway. */
  wakeWith(tx: Tx, job: string): { readonly sql: string; readonly values: readonly string[] } | undefined
  /** Calls `listener` with the name of each job that this node wakes, until the function that it returns is called. */
  onLocal(listener: (job: string) => void): () => void
  /** Reads the notifications of `Database.listen`. */
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
