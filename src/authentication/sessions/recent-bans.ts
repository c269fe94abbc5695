import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import type { Job } from '../../core/jobs.ts'
import * as store from './store.ts'

/**
 * The bans that a cached session could be older than, in the memory of each node. Everything but the cookie cache reads the user's row and
 * needs none of this.
 */
export interface RecentBans {
  has(userId: string): boolean
  /** Tells every node of a ban once the transaction is committed. */
  announce(tx: Tx): Promise<void>
  /** Reads them before the first request: of a node that takes settings up, browsers hold cached sessions already. */
  prepare(): Promise<void>
  readonly jobs: readonly Job[]
}

const job = 'sessions.bans'
/** Clocks of two nodes may differ by so much. */
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
    // Without a ban nothing is read: the watch is part of a statement that is sent anyway.
    jobs: [{ name: job, watch: store.bansWatch, run }],
  }
}
