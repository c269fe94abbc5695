import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import type { Job } from '../../core/jobs.ts'
import * as store from './store.ts'

/**
 * Recent bans, in the memory of each node. A session that is cached in a cookie may be older than a ban, so the cookie cache asks here.
 * All other code reads the ban from the row of the user.
 */
export interface RecentBans {
  has(userId: string): boolean
  /** Tells every node about a ban, after the commit. */
  announce(tx: Tx): Promise<void>
  /**
   * Reads the recent bans before the first request. The cookie cache may have just been switched on, and browsers may have cached
   * sessions before.
   */
  prepare(): Promise<void>
  readonly jobs: readonly Job[]
}

const job = 'sessions.bans'
/** The largest difference in seconds between the clocks of two nodes. */
const toleranceSeconds = 30

export const createRecentBans = (
  { db, clock, signals }: Pick<Core, 'db' | 'clock' | 'signals'>,
  { cookieCacheSeconds }: { readonly cookieCacheSeconds: number },
): RecentBans => {
  if (cookieCacheSeconds === 0)
    return { has: () => false, announce: async () => undefined, prepare: async () => undefined, jobs: [] }
  let banned: ReadonlySet<string> = new Set()
  const run = async () => {
    banned = new Set(await store.listBannedSince(db, clock.after(-cookieCacheSeconds - toleranceSeconds)))
  }
  return {
    has: (userId) => banned.has(userId),
    announce: (tx) => signals.wake(tx, job),
    prepare: run,
    // The query of this watch is part of a statement that each node sends regularly anyway. While nobody is banned, the job reads
    // nothing.
    jobs: [{ name: job, watch: store.bansWatch, run }],
  }
}
