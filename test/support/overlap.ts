/** Two transactions at the same moment, in an order that is known. */
import { vi } from 'vitest'
import type { Tx } from '../../src/core/db/database.ts'
import type { TestApp } from './app.ts'
import { dialect } from './database.ts'

/**
 * Does `first` in a transaction of one node and, before that commits, `second` on the other, as far as it comes: to its end or to where
 * it waits for the first. On SQLite it waits from the start.
 */
export const overlap = async (
  [one, two]: readonly [TestApp, TestApp],
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<void> => {
  let pending: Promise<unknown> | undefined
  await one.app.core.transact(async (tx) => {
    await first(tx)
    let isDone = false
    pending ??= second().finally(() => {
      isDone = true
    })
    if (dialect === 'sqlite') return
    await vi.waitFor(
      async () => {
        if (isDone) return
        const { knex } = two.app.core.db
        const waiting = await knex('pg_stat_activity')
          .where({ wait_event_type: 'Lock' })
          .whereRaw('datname = current_database()')
          .select('pid')
        if (waiting.length === 0) throw new Error('neither done nor waiting')
      },
      { timeout: 60_000, interval: 10 },
    )
  })
  await pending
}
