/** Runs two transactions at the same time, in a known order. */
import { vi } from 'vitest'
import type { Tx } from '../../src/core/db/database.ts'
import type { TestApp } from './app.ts'
import { dialect } from './database.ts'
import { attributed } from './statements.ts'

/**
 * Runs `first` in a transaction on one node. Before that transaction commits, it runs `second` on the other node, to its end or until it
 * waits for the first transaction. On SQLite, `second` waits from its beginning.
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

/** Statements of jobs. A commit can wake a job, whose transactions do not belong to the work that committed. */
const ofJobs = /\b(task|event_chain)\b/

/**
 * Calls `taking` before each connection that `work` takes on a node, with the number of the connection. Returns the number of the
 * connection with the last transaction.
 */
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
      // A single statement needs no transaction.
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
      // Removes the override, so that the method of the class is used again.
      delete client.acquireConnection
    }
    return last
  })

/** A change on the second node, and the end of its precondition on the first node. */
export interface Conclusion<T> {
  /** Performs the action of `act` for a second person whose precondition stays met. It succeeds and shows which transaction is the last. */
  readonly twin: () => Promise<unknown>
  readonly act: () => Promise<T>
  /**
   * Ends the precondition, in a transaction that commits while the last transaction of `act` waits for its locks. On SQLite every
   * transaction waits, and on PostgreSQL only one about the same rows.
   */
  readonly end: (tx: Tx) => Promise<unknown>
}

/** Ends a precondition after `act` has checked it and before the last transaction of `act`. Returns the result of `act`. */
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
