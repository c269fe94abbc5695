import type { Knex } from 'knex'
import type { Db, Transact, Tx } from './database.ts'

/** Largest number of rows deleted in a transaction, so that other writers are not delayed. */
const batch = 500

/**
 * Deletes rows in transactions of at most 500 until nothing is left to delete, or `stop` is aborted; returns how many.
 * `remove` deletes at most `limit` rows and returns how many it deleted.
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

/** Rows that are needed no more. */
export interface Outdated {
  readonly table: string
  /** Its primary key. */
  readonly key: readonly string[]
  choose(rows: Knex.QueryBuilder): Knex.QueryBuilder
}

/** Deletes at most `limit` of the rows, by their primary key; returns how many. */
export const deleteSome = (tx: Tx, { table, key, choose }: Outdated, limit: number): Promise<number> =>
  tx
    .knex(table)
    .whereIn([...key], choose(tx.knex(table).select(...key)).limit(limit))
    .delete()

/** Deletes the rows like `sweep`. Without outdated rows it costs one read and no transaction. */
export const sweepOutdated = async (db: Db, transact: Transact, outdated: Outdated, stop?: AbortSignal): Promise<number> => {
  const one = await outdated.choose(db.knex(outdated.table).select(...outdated.key)).first()
  return one === undefined ? 0 : sweep(transact, (tx, limit) => deleteSome(tx, outdated, limit), stop)
}

/** The number of these rows. */
export const countRows = async (db: Db, { table, key, choose }: Outdated): Promise<number> => {
  const chosen = choose(db.knex(table).select(...key)).as('chosen')
  return Number((await db.knex.from(chosen).count({ count: '*' }).first())?.['count'])
}
