import type { Knex } from 'knex'
import type { Db, Transact, Tx } from './database.ts'

/** Largest number of rows that a transaction deletes, so that it does not delay other writers. */
const batch = 500

/**
 * Deletes rows in transactions of at most 500 until none are left or `stop` is aborted. Returns the number of deleted rows. `remove`
 * deletes at most `limit` rows and returns their number.
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

/** Rows that are no longer needed. */
export interface Outdated {
  readonly table: string
  /** The primary key of the table. */
  readonly key: readonly string[]
  choose(rows: Knex.QueryBuilder): Knex.QueryBuilder
}

/** Deletes at most `limit` of the rows by their primary key. Returns their number. */
export const deleteSome = (tx: Tx, { table, key, choose }: Outdated, limit: number): Promise<number> =>
  tx
    .knex(table)
    .whereIn([...key], choose(tx.knex(table).select(...key)).limit(limit))
    .delete()

/** Deletes the rows as `sweep` does. If there are none, it costs one read and no transaction. */
export const sweepOutdated = async (db: Db, transact: Transact, outdated: Outdated, stop?: AbortSignal): Promise<number> => {
  const one = await outdated.choose(db.knex(outdated.table).select(...outdated.key)).first()
  return one === undefined ? 0 : sweep(transact, (tx, limit) => deleteSome(tx, outdated, limit), stop)
}

/** The number of rows that are no longer needed. */
export const countRows = async (db: Db, { table, key, choose }: Outdated): Promise<number> => {
  const chosen = choose(db.knex(table).select(...key)).as('chosen')
  return Number((await db.knex.from(chosen).count({ count: '*' }).first())?.['count'])
}
