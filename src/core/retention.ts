import type { Db, Transact } from './db/database.ts'
import { countRows, type Outdated, sweepOutdated } from './db/sweep.ts'

/** Deletes rows of one kind after the end of their life. Periodic work deletes them; the command `prune` deletes them at once. */
export interface Retention {
  /** Names the rows for people, in the plural: `sessions`. */
  readonly name: string
  /** Says which of these rows are deleted: `that have ended`. */
  readonly which: string
  /** Number of rows to delete now. */
  count(): Promise<number>
  /** Deletes the rows in small transactions until `stop` is aborted. Returns the number of deleted rows. */
  sweep(stop?: AbortSignal): Promise<number>
}

/** A retention of rows. `outdated` returns the rows to delete. */
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

/** Runs sweeps one after the other. */
export const sweepAll =
  (retentions: readonly Retention[]) =>
  async (stop?: AbortSignal): Promise<void> => {
    for (const retention of retentions) await retention.sweep(stop)
  }
