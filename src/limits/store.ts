import type { Tx } from '../core/database.ts'
import { deleteSome } from '../core/sweep.ts'

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

/** Deletes at most `limit` counters whose window began before `windowStart`; returns how many. */
export const deleteOld = (tx: Tx, windowStart: number, limit: number): Promise<number> =>
  deleteSome(tx, 'rate_limit', ['key'], (rows) => rows.where('window_start', '<', windowStart), limit)
