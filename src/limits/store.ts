import type { Tx } from '../core/database.ts'

/** Adds `hits` to the counter of a window and returns the new count: one statement, so parallel requests cannot all pass. */
export const addHits = async (tx: Tx, key: string, windowStart: number, hits: number): Promise<number> => {
  const rows: { count: number }[] = await tx
    .knex('rate_limit')
    .insert({ key, window_start: windowStart, count: hits })
    .onConflict('key')
    .merge({
      count: tx.knex.raw(
        'case when rate_limit.window_start = excluded.window_start then rate_limit.count + excluded.count else excluded.count end',
      ),
      window_start: tx.knex.raw('excluded.window_start'),
    })
    .returning('count')
  return Number(rows[0]?.count ?? hits)
}

/** Deletes counters whose window began before `windowStart`; at most `limit` rows, so that it never holds the lock for long. */
export const deleteOld = async (tx: Tx, windowStart: number, limit: number): Promise<number> =>
  tx
    .knex('rate_limit')
    .whereIn('key', tx.knex('rate_limit').select('key').where('window_start', '<', windowStart).limit(limit))
    .delete()
