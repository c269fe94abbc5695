import type { Tx } from '../core/database.ts'

/** A node whose clock is behind counts onto the newer window; a window a minute ahead is a clock that has gone wrong. */
const isNewer = 'excluded.window_start > rate_limit.window_start or excluded.window_start < rate_limit.window_start - 60000'

/** Adds `hits` to the counter of a window and returns the new count: one statement, so parallel requests cannot all pass. */
export const addHits = async (tx: Tx, key: string, windowStart: number, hits: number): Promise<number> => {
  const rows: { count: number }[] = await tx
    .knex('rate_limit')
    .insert({ key, window_start: windowStart, count: hits })
    .onConflict('key')
    .merge({
      count: tx.knex.raw(`case when ${isNewer} then excluded.count else rate_limit.count + excluded.count end`),
      window_start: tx.knex.raw(`case when ${isNewer} then excluded.window_start else rate_limit.window_start end`),
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
