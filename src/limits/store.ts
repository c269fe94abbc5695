import type { Tx } from '../core/db/database.ts'
import { deleteSome } from '../core/db/sweep.ts'

/** A node whose clock is behind counts onto the newer window; a window a minute ahead comes from a wrong clock. */
const isNewer = 'rate_limit.window_start < excluded.window_start or rate_limit.window_start > ?'
const mostAheadMs = 60_000

/** Adds `hits` to the counter of a window and returns the new count: one statement, so parallel requests cannot all pass. */
export const addHits = async (tx: Tx, key: string, windowStart: number, hits: number): Promise<number> => {
  const latest = new Date(windowStart + mostAheadMs)
  const rows: { count: number }[] = await tx
    .knex('rate_limit')
    .insert({ key, window_start: new Date(windowStart), count: hits })
    .onConflict('key')
    .merge({
      count: tx.knex.raw(`case when ${isNewer} then excluded.count else rate_limit.count + excluded.count end`, [latest]),
      window_start: tx.knex.raw(`case when ${isNewer} then excluded.window_start else rate_limit.window_start end`, [latest]),
    })
    .returning('count')
  return Number(rows[0]?.count ?? hits)
}

/** Deletes at most `limit` counters whose window began before `windowStart`; returns how many. */
export const deleteOld = (tx: Tx, windowStart: number, limit: number): Promise<number> =>
  deleteSome(tx, 'rate_limit', ['key'], (rows) => rows.where('window_start', '<', new Date(windowStart)), limit)
