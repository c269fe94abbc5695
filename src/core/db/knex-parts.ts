/// <reference path="./knex-modules.d.ts" />
/**
 * All parts of knex (version 3.3.0) that gatehouse uses although the documentation of knex does not promise them. After an upgrade of
 * knex, `test/unit/knex-parts.test.ts` says which of them have changed.
 */
import type { Knex } from 'knex'
import postgresTransaction from 'knex/lib/dialects/postgres/execution/pg-transaction.js'
import postgresClient from 'knex/lib/dialects/postgres/index.js'
import sqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js'
import sqliteClient from 'knex/lib/dialects/sqlite3/index.js'
import { writeFailureOf } from './write-failure.ts'

export const knexVersion = '3.3.0'

/** Classes from modules of knex that are not part of its public interface. */
export const classes = { postgresClient, postgresTransaction, sqliteClient, sqliteTransaction }

/** The `client` option of knex. */
type ClientClass = NonNullable<Exclude<Knex.Config['client'], string>>

export const isPostgresDialect = (knex: Knex): boolean => knex.client.dialect === 'postgresql'

export const acquire = (knex: Knex): Promise<object> => knex.client.acquireConnection()
export const release = (knex: Knex, connection: object): void => void knex.client.releaseConnection(connection)

/**
 * Sends a statement, and emits the events that knex emits for its own statements. So code that counts or logs queries sees this
 * statement, too.
 */
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

/** Functions that are called around each statement on a connection that a transaction uses. */
interface Around {
  /** Called before a statement is built. If it throws, the statement is not sent. */
  readonly begin: () => void
  /** Called in the place of `send`. It either calls `send` to send the statement, or throws. */
  readonly sending: <T>(send: () => Promise<T>) => Promise<T>
}

/**
 * A knex object that sends its statements on one connection. It shares all other parts with the knex object of the pool, so that making
 * it costs nothing. For its statements the pool emits its events.
 */
export const heldTo = (knex: Knex, connection: object, { begin, sending }: Around): Knex => {
  const client = Object.assign(Object.create(knex.client), {
    // As knex does in a transaction: a nested transaction becomes a savepoint.
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
 * Calls `begin` with the text of each statement that is sent. `begin` returns a function that is called with the answer; if the statement
 * failed, it gets the error.
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

/** How many connections of the pool are in use, how many are idle, and how many requests wait for a connection. */
export const poolOf = ({ client: { pool } }: Knex) => ({
  used: pool.numUsed() as number,
  idle: pool.numFree() as number,
  waiting: pool.numPendingAcquires() as number,
})

/** Makes the pool close a connection instead of using it again. */
export const disposeOf = (connection: object, error: unknown): void => {
  Object.assign(connection, { __knex__disposed: error })
}

/**
 * Makes the pool close a connection that must not be used again. There are two cases. A query on the connection got no answer, and the
 * answer could still arrive for the next query. Or the server or file behind the connection accepts no writes, while a new connection may
 * reach the primary server or a new file. After a full disk the connection stays.
 */
export const dropUnfit = (connection: object, error: unknown): void => {
  const failure = writeFailureOf(error)
  if (/timeout/i.test((error as Error).message) || (failure !== undefined && failure !== 'disk full'))
    disposeOf(connection, error)
}

const failedToConnect = new WeakSet<object>()

/**
 * True if the connection failed and not a statement, whatever the code of the error is. Examples are a changed password, an expired
 * certificate, and a server without free connections.
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

/**
 * The PostgreSQL client of knex, changed so that it drops connections that must not be used again. `afterBegin` is SQL that is sent in
 * one message with the `BEGIN` of each transaction.
 */
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

/** A statement that knex sends to SQLite. */
export interface SqliteQuery {
  readonly sql: string
  readonly bindings: readonly unknown[]
  /** For these, knex wants the number of changed rows, and for all others the rows. With `returning`, an insert or update has rows, too. */
  readonly method?: 'insert' | 'update' | 'counter' | 'del'
  readonly returning?: unknown
  /** The answer, from which knex reads the result: the rows, or the number of changed rows and the key of the last new row. */
  response?: readonly unknown[] | undefined
  context?: { readonly changes: number; readonly lastID: number }
}

interface Connections {
  /** Sends a statement and writes the answer into it. Undefined if knex has to send the statement. */
  readonly send: (connection: object, query: SqliteQuery) => Promise<SqliteQuery> | undefined
  /** Called with each connection before it is closed. */
  readonly beforeClose: (connection: object) => void
}

/**
 * The SQLite client of knex, changed so that its transactions take the write lock when they begin. With a plain `BEGIN`, a second process
 * would fail with SQLITE_BUSY.
 */
export const immediateClient = ({ send, beforeClose }: Connections): ClientClass => {
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
    override async _query(connection: object, query: SqliteQuery) {
      try {
        return await (send(connection, query) ?? super._query(connection, query))
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
