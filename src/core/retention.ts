import type { Db, Transact } from './db/database.ts'
import { countRows, type Outdated, sweepOutdated } from './db/sweep.ts'

/** A kind of rows that are kept for a limited time. Periodic work deletes expired rows, and the command `prune` deletes them at once. */
export interface Retention {
  /** The name of the deleted rows for people, in the plural: `sessions`. */
  readonly name: string
  /** Which of them: `that have ended`. */
  readonly which: string
  /** How many would be deleted now. */
  count(): Promise<number>
  /** Deletes them in small transactions until `stop` is aborted; answers how many. */
  sweep(stop?: AbortSignal): Promise<number>
}

/** A retention of rows; `outdated` says which of them have outlived theirs by now. */
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

/** Sweeps one after the other. */
export const sweepAll =
  (retentions: readonly Retention[]) =>
  async (stop?: AbortSignal): Promise<void> => {
    for (const retention of retentions) await retention.sweep(stop)
  }
