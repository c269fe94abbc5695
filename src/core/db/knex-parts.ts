/**
 * Everything used of knex that its documentation does not promise; seen with version 3.3.0. After an upgrade `test/unit/knex-parts.test.ts`
 * names what has changed.
 */
import { createRequire } from 'node:module'
import type { Knex } from 'knex'

export const knexVersion = '3.3.0'

const load = createRequire(import.meta.url)

/** Modules of knex that are not part of its public interface. */
export const modules = {
  postgres: 'knex/lib/dialects/postgres/index.js',
  sqlite: 'knex/lib/dialects/sqlite3/index.js',
  sqliteTransaction: 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js',
} as const

export const isPostgresDialect = (knex: Knex): boolean => knex.client.dialect === 'postgresql'

/**
 * Runs `work` on a connection of the pool, in a transaction on its connection. The statement is announced as knex announces its own, for those
 * who count or log queries.
 */
export const onConnection = async <T>(
  knex: Knex,
  statement: { readonly sql: string; readonly bindings: readonly unknown[] },
  work: (connection: unknown) => Promise<T>,
): Promise<T> => {
  const { client } = knex
  const connection: unknown = await client.acquireConnection()
  client.emit('query', statement)
  try {
    const result = await work(connection)
    client.emit('query-response', undefined, statement)
    return result
  } catch (error) {
    client.emit('query-error', error, statement)
    throw error
  } finally {
    await client.releaseConnection(connection)
  }
}

/** Calls `begin` with the text of each statement that is sent, and what that returned when it is answered, with the error if it failed. */
export const watchStatements = (knex: Knex, begin: (sql: string) => (error?: unknown) => void): void => {
  type Sent = { readonly sql: string; readonly __knexQueryUid?: string }
  const open = new Map<unknown, (error?: unknown) => void>()
  const keyOf = (sent: Sent) => sent.__knexQueryUid ?? sent
  const end = (sent: Sent, error?: unknown) => {
    open.get(keyOf(sent))?.(error)
    open.delete(keyOf(sent))
  }
  knex.on('query', (sent: Sent) => open.set(keyOf(sent), begin(sent.sql)))
  knex.on('query-response', (_response: unknown, sent: Sent) => end(sent))
  knex.on('query-error', (error: unknown, sent: Sent) => end(sent, error))
}

/** The pool's connections, in use and idle, and requests that wait for one. */
export const poolOf = ({ client: { pool } }: Knex) => ({
  used: pool.numUsed() as number,
  idle: pool.numFree() as number,
  waiting: pool.numPendingAcquires() as number,
})

/** Settles with the transaction: rejected when it is rolled back. */
export const settled = (transaction: Knex): Promise<unknown> => (transaction as Knex.Transaction).executionPromise

/** Has the pool drop a connection whose query got no answer: the answer may still come, to the next query. */
export const dropAfterTimeout = (connection: object, error: unknown): void => {
  if (/timeout/i.test((error as Error).message)) Object.assign(connection, { __knex__disposed: error })
}

/** The PostgreSQL client of knex, which drops a connection after a timeout. */
export const droppingClient = (): typeof Knex.Client => {
  const Client = load(modules.postgres)
  return class extends Client {
    async _query(connection: object, query: { readonly sql: string }) {
      try {
        return await super._query(connection, query)
      } catch (error) {
        dropAfterTimeout(connection, error)
        throw error
      }
    }
  } as unknown as typeof Knex.Client
}

interface TransactionQuery {
  query(connection: unknown, sql: string): Promise<unknown>
}

/**
 * The SQLite client of knex, whose transactions take the write lock first: with the plain `BEGIN` a second process fails with SQLITE_BUSY.
 * `beforeClose` is called with a connection that is about to be closed.
 */
export const immediateClient = (beforeClose: (connection: object) => void): typeof Knex.Client => {
  const Client = load(modules.sqlite)
  const Transaction = load(modules.sqliteTransaction)
  class ImmediateTransaction extends Transaction {
    begin(this: TransactionQuery, connection: unknown) {
      return this.query(connection, 'BEGIN IMMEDIATE;')
    }
  }
  return class extends Client {
    transaction(...args: unknown[]) {
      return Reflect.construct(ImmediateTransaction, [this, ...args])
    }
    async destroyRawConnection(connection: object) {
      beforeClose(connection)
      return super.destroyRawConnection(connection)
    }
  } as unknown as typeof Knex.Client
}
