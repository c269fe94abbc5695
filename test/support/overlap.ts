/** Two transactions at the same moment, in an order that is known. */
import { vi } from 'vitest'
import type { Tx } from '../../src/core/db/database.ts'
import type { TestApp } from './app.ts'
import { dialect } from './database.ts'
import { attributed } from './statements.ts'

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

/** With what the transaction of a job begins: one that a commit wakes runs for what has committed. */
const ofJobs = /\b(task|event_chain)\b/

/** Calls `taking` before each connection that `work` takes on a node, with its number; answers the number of the one that began the last transaction. */
const watchConnections = (
  { app }: TestApp,
  work: () => Promise<unknown>,
  taking: (number: number) => Promise<void> | undefined = () => undefined,
): Promise<number> =>
  attributed(async (isPart) => {
    const { knex } = app.core.db
    const { client } = knex
    const acquire: () => Promise<object> = client.acquireConnection
    let [taken, last] = [0, 0]
    let [begun, isOpen]: [number | undefined, boolean] = [undefined, false]
    const note = ({ sql }: { readonly sql: string }) => {
      if (!isPart()) return
      if (begun !== undefined && !ofJobs.test(sql)) last = begun
      begun = sql.startsWith('BEGIN') ? taken : undefined
      if (begun !== undefined) isOpen = true
      else if (/^(COMMIT|ROLLBACK)/.test(sql)) isOpen = false
      // Where one statement is all, it needs no transaction.
      else if (!isOpen && /^(insert|update|delete|with[\s\S]*\b(insert into|update) )/.test(sql)) last = taken
    }
    client.acquireConnection = async () => {
      if (isPart()) {
        taken += 1
        await taking(taken)
      }
      return acquire.call(client)
    }
    knex.on('query', note)
    try {
      await work()
    } finally {
      knex.off('query', note)
      // It is the one of its class again.
      delete client.acquireConnection
    }
    return last
  })

/** What is concluded on the second node, and what ends on the first one meanwhile. */
export interface Conclusion<T> {
  /** The same as `act` for somebody else, of whom nothing ends: it goes through, and shows which transaction is the last. */
  readonly twin: () => Promise<unknown>
  readonly act: () => Promise<T>
  /** Part of a transaction that commits while the last one of `act` waits for its locks: on SQLite for all, on PostgreSQL for the same rows. */
  readonly end: (tx: Tx) => Promise<unknown>
}

/** Has something end after `act` has made its checks and before its last transaction, which commits what it concludes. */
export const endBetweenCheckAndCommit = async <T>(
  nodes: readonly [TestApp, TestApp],
  { twin, act, end }: Conclusion<T>,
): Promise<T> => {
  const [, two] = nodes
  const place = await watchConnections(two, twin)
  const checked = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let acting: Promise<T> | undefined
  const watched = watchConnections(
    two,
    () => {
      acting = act()
      return acting
    },
    (number) => {
      if (number !== place) return undefined
      checked.resolve()
      return ended.promise
    },
  )
  await Promise.race([checked.promise, watched.then(() => Promise.reject(new Error('it did not come to its last transaction')))])
  await overlap(nodes, end, () => {
    ended.resolve()
    return watched
  })
  if (acting === undefined) throw new Error('nothing was concluded')
  return acting
}
