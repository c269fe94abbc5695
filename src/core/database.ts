import { createRequire } from 'node:module'
import knex, { type Knex } from 'knex'
import pg from 'pg'

/** May read. Everything a store's read function needs. */
export interface Db {
  readonly knex: Knex
}

declare const write: unique symbol
/** May read and write; only `transact` makes one, so a write outside a transaction does not compile. */
export interface Tx extends Db {
  readonly [write]: true
}

/** Runs `work` in one transaction: all of it or, when it throws, nothing. Only SQL belongs inside. */
export type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  readonly db: Db
  readonly transact: Transact
  /** The same database on a connection of its own with foreign keys unenforced, for migrations; the caller destroys it. */
  migrationKnex(): Knex
  destroy(): Promise<void>
}

export interface DatabaseOptions {
  /** `sqlite:<file>`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string
  readonly poolMax: number
  /** SQLite only: `FULL` survives a power cut for the last commits, `NORMAL` a crash of the process. */
  readonly synchronous: 'NORMAL' | 'FULL'
  /** PostgreSQL only: called when an idle connection breaks. */
  readonly onError?: (error: Error) => void
}

const acquireTimeoutMs = 5_000

// bigint columns hold counts and milliseconds, all below 2^53.
pg.types.setTypeParser(20, Number)

interface RawConnection {
  exec(sql: string, done: (error: Error | null) => void): void
}
interface TransactionQuery {
  query(connection: unknown, sql: string): Promise<unknown>
}

/** A read that runs all the time, written out with `?` for values. `name` is its own. */
export interface PreparedRead {
  readonly name: string
  readonly sql: string
}

type RawRow = Readonly<Record<string, unknown>>
interface SqliteStatement {
  all(values: readonly unknown[], done: (error: Error | null, rows: RawRow[]) => void): void
  finalize(): void
}
interface SqliteConnection {
  prepare(sql: string): SqliteStatement
}

const sqliteStatements = new WeakMap<object, Map<string, SqliteStatement>>()

/** knex has no hook for it: a SQLite transaction must take the write lock first, else a second process fails with SQLITE_BUSY. */
const immediateSqliteClient = (): typeof Knex.Client => {
  const require = createRequire(import.meta.url)
  const Client = require('knex/lib/dialects/sqlite3/index.js')
  const Transaction = require('knex/lib/dialects/sqlite3/execution/sqlite-transaction.js')
  class ImmediateTransaction extends Transaction {
    begin(this: TransactionQuery, connection: unknown) {
      return this.query(connection, 'BEGIN IMMEDIATE;')
    }
  }
  return class extends Client {
    transaction(...args: unknown[]) {
      return Reflect.construct(ImmediateTransaction, [this, ...args])
    }
    // A connection with open statements does not close.
    async destroyRawConnection(connection: object) {
      for (const statement of sqliteStatements.get(connection)?.values() ?? []) statement.finalize()
      return super.destroyRawConnection(connection)
    }
  } as unknown as typeof Knex.Client
}

/** knex would print to standard output. What it has to say reaches the caller as an error as well. */
const silent = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }

const openSqlite = (filename: string, synchronous: string, foreignKeys: boolean): Knex =>
  knex({
    client: immediateSqliteClient(),
    connection: { filename },
    useNullAsDefault: true,
    log: silent,
    acquireConnectionTimeout: acquireTimeoutMs,
    pool: {
      // One connection: a second one would only wait for the first's lock, in libuv's thread pool.
      min: 1,
      max: 1,
      idleTimeoutMillis: 2 ** 31 - 1,
      afterCreate: (connection: RawConnection, done: (error: Error | null, connection: RawConnection) => void) =>
        connection.exec(
          `PRAGMA busy_timeout=5000;PRAGMA journal_mode=WAL;PRAGMA synchronous=${synchronous};PRAGMA foreign_keys=${foreignKeys ? 'ON' : 'OFF'};`,
          (error) => done(error, connection),
        ),
    },
  })

const openPostgres = (url: string, max: number, onError: (error: Error) => void): Knex =>
  knex({
    client: 'pg',
    log: silent,
    connection: { connectionString: url, application_name: 'gatehouse', connectionTimeoutMillis: acquireTimeoutMs },
    acquireConnectionTimeout: acquireTimeoutMs,
    pool: {
      min: 0,
      max,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        connection.on('error', onError)
        done(null, connection)
      },
    },
  })

/** Opens the database; connects on first use. Throws on an address that is neither SQLite nor PostgreSQL. */
export const openDatabase = ({ url, poolMax, synchronous, onError = () => undefined }: DatabaseOptions): Database => {
  const dialect = /^postgres(ql)?:/.test(url) ? 'postgres' : 'sqlite'
  if (dialect === 'sqlite' && !url.startsWith('sqlite:')) throw new Error('database address is neither sqlite: nor postgres:')
  const filename = url.slice('sqlite:'.length)
  const open = (foreignKeys: boolean) =>
    dialect === 'postgres'
      ? openPostgres(url, foreignKeys ? poolMax : 1, onError)
      : openSqlite(filename, synchronous, foreignKeys)
  const main = open(true)
  return {
    dialect,
    db: { knex: main },
    transact: (work) => main.transaction((trx) => work({ knex: trx } as unknown as Tx)),
    migrationKnex: () => open(false),
    destroy: () => main.destroy(),
  }
}

const readSqlite = (connection: SqliteConnection, { name, sql }: PreparedRead, values: readonly unknown[]) => {
  const known = sqliteStatements.get(connection) ?? new Map<string, SqliteStatement>()
  sqliteStatements.set(connection, known)
  const statement = known.get(name) ?? connection.prepare(sql)
  known.set(name, statement)
  return new Promise<RawRow[]>((resolve, reject) =>
    statement.all(values, (error, rows) => (error === null ? resolve(rows) : reject(error))),
  )
}

const readPostgres = async (connection: pg.Client, { name, sql }: PreparedRead, values: readonly unknown[]) => {
  let position = 0
  const text = sql.replace(/\?/g, () => `$${++position}`)
  const { rows } = await connection.query<RawRow>({ name, text, values: [...values] })
  return rows
}

/** Rows of a read whose statement every connection prepares once: knex would have it parsed and planned anew each time. */
export const readPrepared = async (db: Db, read: PreparedRead, values: readonly unknown[]): Promise<RawRow[]> => {
  const { client } = db.knex
  const connection: unknown = await client.acquireConnection()
  // As knex does for its own: whoever counts or logs queries sees this one too.
  client.emit('query', { sql: read.sql, bindings: values })
  try {
    return client.config.client === 'pg'
      ? await readPostgres(connection as pg.Client, read, values)
      : await readSqlite(connection as SqliteConnection, read, values)
  } finally {
    await client.releaseConnection(connection)
  }
}

/** Name of the unique index or `table.column` that a write violated, or undefined when the error is another one. */
export const uniqueViolation = (error: unknown): string | undefined => {
  const { code, constraint, message } = error as { code?: string; constraint?: string; message?: string }
  if (code === '23505') return constraint ?? ''
  return code === 'SQLITE_CONSTRAINT' ? /UNIQUE constraint failed: (.*)$/.exec(message ?? '')?.[1] : undefined
}

/** True when a write named a parent row that is gone. */
export const isForeignKeyViolation = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string }
  return code === '23503' || (code === 'SQLITE_CONSTRAINT' && /FOREIGN KEY constraint failed/.test(message ?? ''))
}

/** True when the failure is the database's being away, not the statement's fault. */
export const isUnavailable = (error: unknown): boolean => {
  const { code, name, message } = error as { code?: string; name?: string; message?: string }
  if (name === 'KnexTimeoutError') return true
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|SQLITE_BUSY|57P0|08|53300)/.test(code ?? '')) return true
  return /Connection terminated|timeout exceeded when trying to connect|connection timeout/i.test(message ?? '')
}

/** Locks one row until the transaction ends. On SQLite the transaction already holds the only write lock. */
export const lockRow = async (tx: Tx, tableName: string, id: string): Promise<void> => {
  const query = tx.knex(tableName).where({ id }).select('id')
  await (tx.knex.client.config.client === 'pg' ? query.forUpdate() : query)
}

/** Locks a name until the transaction ends, where there is no row to lock. On SQLite the transaction already holds the only write lock. */
export const lockName = async (tx: Tx, name: string): Promise<void> => {
  if (tx.knex.client.config.client === 'pg') await tx.knex.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name])
}

/** Runs `work` once the transaction is committed, and never when it is rolled back. */
export const afterCommit = (tx: Tx, work: () => void): void => {
  const { executionPromise } = tx.knex as Knex.Transaction
  executionPromise.then(work, () => undefined)
}
