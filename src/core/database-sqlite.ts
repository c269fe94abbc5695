import { createRequire } from 'node:module'
import knex, { type Knex } from 'knex'
import { acquireTimeoutMs, type PreparedRead, type RawRow, silent } from './database-driver.ts'

interface RawConnection {
  exec(sql: string, done: (error: Error | null) => void): void
}
interface TransactionQuery {
  query(connection: unknown, sql: string): Promise<unknown>
}
interface Statement {
  all(values: readonly unknown[], done: (error: Error | null, rows: RawRow[]) => void): void
  finalize(): void
}
/** A connection of the sqlite3 driver. */
export interface SqliteConnection {
  prepare(sql: string): Statement
}

const statements = new WeakMap<object, Map<string, Statement>>()

/** knex has no hook for it: a SQLite transaction must take the write lock first, else a second process fails with SQLITE_BUSY. */
const immediateClient = (): typeof Knex.Client => {
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
      for (const statement of statements.get(connection)?.values() ?? []) statement.finalize()
      return super.destroyRawConnection(connection)
    }
  } as unknown as typeof Knex.Client
}

/** Opens a SQLite file with one connection: a second one would only wait for the first's lock, in libuv's thread pool. */
export const openSqlite = (filename: string, synchronous: string, foreignKeys: boolean): Knex =>
  knex({
    client: immediateClient(),
    connection: { filename },
    useNullAsDefault: true,
    log: silent,
    compileSqlOnError: false,
    acquireConnectionTimeout: acquireTimeoutMs,
    pool: {
      min: 1,
      max: 1,
      idleTimeoutMillis: 2 ** 31 - 1,
      afterCreate: (connection: RawConnection, done: (error: Error | null, connection: RawConnection) => void) => {
        const settings = `PRAGMA busy_timeout=5000;PRAGMA journal_mode=WAL;PRAGMA synchronous=${synchronous};PRAGMA foreign_keys=${foreignKeys ? 'ON' : 'OFF'};`
        // The switch to WAL does not wait for others that open a new file at the same moment.
        const apply = (tries: number) =>
          connection.exec(settings, (error) => {
            if ((error as { code?: string } | null)?.code === 'SQLITE_BUSY' && tries > 0) setTimeout(apply, 50, tries - 1)
            else done(error, connection)
          })
        apply(100)
      },
    },
  })

export const readSqlite = (connection: SqliteConnection, { name, sql }: PreparedRead, values: readonly unknown[]) => {
  const known = statements.get(connection) ?? new Map<string, Statement>()
  statements.set(connection, known)
  const statement = known.get(name) ?? connection.prepare(sql)
  known.set(name, statement)
  return new Promise<RawRow[]>((resolve, reject) =>
    statement.all(values, (error, rows) => (error === null ? resolve(rows) : reject(error))),
  )
}
