import type { Knex } from 'knex'
import type { Transact, Tx } from './database.ts'

/** Most rows that one transaction deletes, so that other writers are not delayed. */
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

/** Deletes at most `limit` of the rows that `choose` leaves, by their primary key; returns how many. */
export const deleteSome = (
  tx: Tx,
  tableName: string,
  key: readonly string[],
  choose: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
  limit: number,
): Promise<number> =>
  tx
    .knex(tableName)
    .whereIn([...key], choose(tx.knex(tableName).select(...key)).limit(limit))
    .delete()
