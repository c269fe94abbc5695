import type { Db, Transact } from './db/database.ts'
import { countRows, type Outdated, sweepOutdated } from './db/sweep.ts'

/** A kind of rows with a limited life. Periodic work deletes expired rows, and the command `prune` deletes them at once. */
export interface Retention {
  /** The name of the deleted rows for people, in the plural: `sessions`. */
  readonly name: string
  /** The deleted ones among them: `that have ended`. */
  readonly which: string
  /** Number of rows to delete now. */
  count(): Promise<number>
  /** Deletes the rows in small transactions until `stop` is aborted; returns how many. */
  sweep(stop?: AbortSignal): Promise<number>
}

/** A retention of rows; `outdated` returns the expired ones. */
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
