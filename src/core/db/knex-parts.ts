/// <reference path="./knex-modules.d.ts" />
/**
 * All parts of knex (version 3.3.0) that gatehouse uses although its documentation does not promise them. After an upgrade,
 * `test/unit/knex-parts.test.ts` names the changes.
 */
import type { Knex } from 'knex'
import postgresTransaction from 'knex/lib/dialects/postgres/execution/pg-transaction.js'
import postgresClient from 'knex/lib/dialects/postgres/index.js'
import sqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js'
import sqliteClient from 'knex/lib/dialects/sqlite3/index.js'
import { writeFailureOf } from './write-failure.ts'

export const knexVersion = '3.3.0'

/** Classes in modules of knex that are not part of its public interface. */
export const classes = { postgresClient, postgresTransaction, sqliteClient, sqliteTransaction }

/** The `client` option of knex. */
type ClientClass = NonNullable<Exclude<Knex.Config['client'], string>>

export const isPostgresDialect = (knex: Knex): boolean => knex.client.dialect === 'postgresql'

export const acquire = (knex: Knex): Promise<object> => knex.client.acquireConnection()
export const release = (knex: Knex, connection: object): void => void knex.client.releaseConnection(connection)

/** Emits the events that knex emits for a statement, so that code which counts or logs queries sees it. */
export const announced = async <T>(
  { client }: Knex,
  statement: { readonly sql: string; readonly bindings: readonly unknown[] },
  work: () => Promise<T>,
): Promise<T> => {
  client.emit('query', statement)
  try {
    const result = await work()
    client.emit('query-response', undefined, statement)
    return result
  } catch (error) {
    client.emit('query-error', error, statement)
    throw error
  }
}

/** What happens around each statement on a held connection. */
interface Around {
  /** Called before the statement is built. It may throw. */
  readonly begin: () => void
  /** Sends the statement, or throws. */
  readonly sending: <T>(send: () => Promise<T>) => Promise<T>
}

/**
 * The knex of the pool, bound to one connection. It shares everything with the pool except the steps around its statements, so that
 * making it costs nothing. Its statements emit the events of the pool.
 */
export const heldTo = (knex: Knex, connection: object, { begin, sending }: Around): Knex => {
  const client = Object.assign(Object.create(knex.client), {
    // As in a transaction of knex, a nested transaction is a savepoint.
    transacting: true,
    acquireConnection: async () => {
      begin()
      return connection
    },
    releaseConnection: async () => undefined,
    _query: (held: object, query: object) => sending<unknown>(() => knex.client._query(held, query)),
  })
  const start = (table: Parameters<Knex>[0], options?: Parameters<Knex>[1]) => client.queryBuilder().table(table, options)
  const held: Knex = Object.setPrototypeOf(start, knex)
  const { context } = knex as Knex & { readonly context: object }
  return Object.assign(held, { context: Object.assign(Object.create(context), { client }) })
}

/**
 * Calls `begin` with the text of each sent statement. The function that `begin` returns is called at the answer, with the error of a
 * failed statement.
 */
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

/** Calls `tell` with the error of each failed statement. */
export const watchFailures = (knex: Knex, tell: (error: unknown) => void): (() => void) => {
  knex.on('query-error', tell)
  return () => void knex.removeListener('query-error', tell)
}

/** The pool's connections in use, its idle connections, and the requests that wait for one. */
export const poolOf = ({ client: { pool } }: Knex) => ({
  used: pool.numUsed() as number,
  idle: pool.numFree() as number,
  waiting: pool.numPendingAcquires() as number,
})

/** Makes the pool drop a connection, so that it does not lend it again. */
export const disposeOf = (connection: object, error: unknown): void => {
  Object.assign(connection, { __knex__disposed: error })
}

/**
 * Makes the pool drop a connection that is useless. Either its query got no answer, which may still arrive at the next query. Or its
 * server or file accepts no writes, while a new connection may reach the primary or a new file. After a full disk the connection stays.
 */
export const dropUnfit = (connection: object, error: unknown): void => {
  const failure = writeFailureOf(error)
  if (/timeout/i.test((error as Error).message) || (failure !== undefined && failure !== 'disk full'))
    disposeOf(connection, error)
}

const failedToConnect = new WeakSet<object>()

/**
 * True if the connection failed, with any code: a changed password, an expired certificate, a database without free connections. A
 * statement never causes such an error.
 */
export const isOfConnecting = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && failedToConnect.has(error)

const connecting = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    failedToConnect.add(error as object)
    throw error
  }
}

/** The PostgreSQL client of knex. It drops useless connections. `afterBegin` is sent in one message with the `BEGIN` of each transaction. */
export const droppingClient = (afterBegin = ''): ClientClass => {
  class LimitedTransaction extends classes.postgresTransaction {
    override query(connection: unknown, sql: string, ...rest: readonly unknown[]) {
      return super.query(connection, sql.startsWith('BEGIN') ? sql + afterBegin : sql, ...rest)
    }
  }
  return class extends classes.postgresClient {
    override transaction(...args: readonly unknown[]) {
      return Reflect.construct(afterBegin === '' ? classes.postgresTransaction : LimitedTransaction, [this, ...args])
    }
    override acquireRawConnection() {
      return connecting(super.acquireRawConnection())
    }
    override async _query(connection: object, query: { readonly sql: string }) {
      try {
        return await super._query(connection, query)
      } catch (error) {
        dropUnfit(connection, error)
        throw error
      }
    }
  }
}

/**
 * The SQLite client of knex. Its transactions take the write lock first, because with a plain `BEGIN` a second process fails with
 * SQLITE_BUSY. `beforeClose` is called with each connection before it is closed.
 */
export const immediateClient = (beforeClose: (connection: object) => void): ClientClass => {
  class ImmediateTransaction extends classes.sqliteTransaction {
    override begin(connection: unknown) {
      return this.query(connection, 'BEGIN IMMEDIATE;')
    }
  }
  return class extends classes.sqliteClient {
    override transaction(...args: readonly unknown[]) {
      return Reflect.construct(ImmediateTransaction, [this, ...args])
    }
    override acquireRawConnection() {
      return connecting(super.acquireRawConnection())
    }
    override async _query(connection: object, query: { readonly sql: string }) {
      try {
        return await super._query(connection, query)
      } catch (error) {
        dropUnfit(connection, error)
        throw error
      }
    }
    override async destroyRawConnection(connection: object) {
      beforeClose(connection)
      return super.destroyRawConnection(connection)
    }
  }
}
