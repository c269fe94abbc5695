import type { Db, Transact } from './db/database.ts'
import { countRows, type Outdated, sweepOutdated } from './db/sweep.ts'

/** Deletes one kind of rows when they have been stored long enough. Periodic work does so, and the command `prune` does so at once. */
export interface Retention {
  /** The word for these rows in messages, in the plural: `sessions`. */
  readonly name: string
  /** Which of these rows are deleted, as a relative clause: `that have ended`. */
  readonly which: string
  /** Number of rows that could be deleted now. */
  count(): Promise<number>
  /** Deletes the rows in small transactions, until none is left or `stop` is aborted. Returns the number of deleted rows. */
  sweep(stop?: AbortSignal): Promise<number>
}

/** Makes the retention of rows in one table. `outdated` returns which rows to delete. */
export const retentionOfRows = (
  { db, transact }: { readonly db: Db; readonly transact: Transact },
  name: string,
  which: string,
  outdated: () => Outdated,
): Retention => ({
  name,
  which,
  count: () => countRows(db, outdated()),
  sweep: (stop) => sweepOutdated(db, transact, outdated(), stop),
})

/** Makes a function that runs these retentions one after the other. */
export const sweepAll =
  (retentions: readonly Retention[]) =>
  async (stop?: AbortSignal): Promise<void> => {
    for (const retention of retentions) await retention.sweep(stop)
  }
