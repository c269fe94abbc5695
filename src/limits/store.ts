import { type Tx, writePrepared } from '../core/db/database.ts'
import type { Outdated } from '../core/db/sweep.ts'

/**
 * True if a newer window has begun. A node whose clock is slow then counts in the newer window. A stored window that lies more than a
 * minute in the future comes from a wrong clock, and is replaced.
 */
const isNewer = 'rate_limit.window_start < excluded.window_start or rate_limit.window_start > ?'
const mostAheadMs = 60_000

const count = `case when ${isNewer} then excluded.count else rate_limit.count + excluded.count end`
const windowStart = `case when ${isNewer} then excluded.window_start else rate_limit.window_start end`
const addition = {
  name: 'rate_limit_add',
  sql: `insert into rate_limit (key, window_start, count) values (?, ?, ?)
on conflict (key) do update set count = ${count}, window_start = ${windowStart} returning count`,
}

/**
 * Adds hits to the counter of a window, and returns the new count. Both happen in one statement, so that simultaneous requests cannot
 * exceed the limit.
 */
export const addHits = async (tx: Tx, key: string, windowStart: number, hits: number): Promise<number> => {
  const latest = new Date(windowStart + mostAheadMs)
  const [row] = await writePrepared(tx, addition, [key, new Date(windowStart), hits, latest, latest])
  return Number(row?.['count'] ?? hits)
}

/** A condition for counters of windows that began before `windowStart`. */
export const countersBefore = (windowStart: Date): Outdated => ({
  table: 'rate_limit',
  key: ['key'],
  choose: (rows) => rows.where('window_start', '<', windowStart),
})
