import type { Knex } from 'knex'
import type { Db, Transact, Tx } from './database.ts'

/** Largest number of rows that one transaction deletes. A larger number would delay other writers. */
const batch = 500

/**
 * Calls `remove` in one transaction after the other, until no row is left or `stop` is aborted. Each call deletes at most `limit` rows
 * (500) and returns their number. Returns the total number of deleted rows.
 */
export const sweep = async (
  transact: Transact,
  remove: (tx: Tx, limit: number) => Promise<number>,
  stop?: AbortSignal,
): Promise<number> => {
  for (let total = 0; ; ) {
    const deleted = await transact((tx) => remove(tx, batch))
    total += deleted
    if (deleted < batch || stop?.aborted === true) return total
  }
}

/** Rows that are no longer needed and may be deleted. */
export interface Outdated {
  readonly table: string
  /** The columns of the primary key. */
  readonly key: readonly string[]
  choose(rows: Knex.QueryBuilder): Knex.QueryBuilder
}

/** Deletes at most `limit` of the outdated rows. Returns the number of deleted rows. */
export const deleteSome = (tx: Tx, { table, key, choose }: Outdated, limit: number): Promise<number> =>
  tx
    .knex(table)
    .whereIn([...key], choose(tx.knex(table).select(...key)).limit(limit))
    .delete()

/** Deletes the outdated rows with `sweep`. If there are none, this takes one read and no transaction. */
export const sweepOutdated = async (db: Db, transact: Transact, outdated: Outdated, stop?: AbortSignal): Promise<number> => {
  const one = await outdated.choose(db.knex(outdated.table).select(...outdated.key)).first()
  return one === undefined ? 0 : sweep(transact, (tx, limit) => deleteSome(tx, outdated, limit), stop)
}

/** Counts the outdated rows. */
export const countRows = async (db: Db, { table, key, choose }: Outdated): Promise<number> => {
  const chosen = choose(db.knex(table).select(...key)).as('chosen')
  return Number((await db.knex.from(chosen).count({ count: '*' }).first())?.['count'])
}
