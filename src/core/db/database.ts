import type { Knex } from 'knex'
import type { PreparedRead, RawRow } from './driver.ts'
import { isPostgresDialect, onConnection, poolOf, settled, watchStatements } from './knex-parts.ts'
import { type Listener, listenOnPostgres, openPostgres, type PostgresConnection, readPostgres } from './postgres.ts'
import { openSqlite, readSqlite, type SqliteConnection, snapshotSqlite } from './sqlite.ts'

export type { PreparedRead, RawRow }

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
  /** Location for messages: file, or host and name. */
  readonly name: string
  readonly db: Db
  readonly transact: Transact
  /** The same database on a connection of its own with foreign keys unenforced, for migrations; the caller destroys it. */
  migrationKnex(): Knex
  /**
   * Runs reads on a connection of its own and without limits of time. All of them see the database as it was at the first, whatever is
   * written meanwhile; writers do not wait.
   */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** One transaction on a connection like that of migrations, to fill an empty database: the caller sees to the foreign keys. */
  fill: Transact
  /**
   * Tells of signals that transactions of any node send, on a connection of its own that is opened again when it breaks. On SQLite, where
   * one process serves, there are none.
   */
  listen(listener: Listener): { close(): Promise<void> }
  /** Calls `begin` with the text of each statement, and what that returned when it is answered. Texts hold placeholders, no values. */
  watch(begin: (sql: string) => (error?: unknown) => void): void
  /** Connections of this process: in use and idle, and requests that wait for one. */
  pool(): Readonly<Record<'used' | 'idle' | 'waiting', number>>
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

/** Name under which PostgreSQL passes signals on, within one database. */
export const signalChannel = 'gatehouse'

const attempts = 3

/** Thrown in a transaction when what it read has changed meanwhile: it is rolled back and repeated, as after a serialization failure. */
export class OvertakenError extends Error {
  readonly code = '40001'
}

/** What transactions that run still have to write, by their knex. */
const finishing = new WeakMap<object, (() => Promise<void>)[]>()

/** Repeats a transaction that was the victim of a deadlock or was overtaken: it is known to be rolled back, so nothing happens twice. */
const untilNoDeadlock = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const { code } = error as { code?: string }
      if (attempt === attempts || (code !== '40P01' && code !== '40001')) throw error
    }
  }
}

/** Host and name of a PostgreSQL database, without user and password. */
const placeOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? 'of GATEHOUSE_DATABASE_URL' : `${parsed.pathname.slice(1)} at ${parsed.host}`
}

/** Opens the database; connects on first use. Throws on an address that is neither SQLite nor PostgreSQL. */
export const openDatabase = ({ url, poolMax, synchronous, onError = () => undefined }: DatabaseOptions): Database => {
  const dialect = /^postgres(ql)?:/.test(url) ? 'postgres' : 'sqlite'
  if (dialect === 'sqlite' && !url.startsWith('sqlite:')) throw new Error('database address is neither sqlite: nor postgres:')
  const filename = url.slice('sqlite:'.length)
  const open = (foreignKeys: boolean) =>
    dialect === 'postgres' ? openPostgres(url, poolMax, onError, !foreignKeys) : openSqlite(filename, synchronous, foreignKeys)
  const main = open(true)
  const inTransaction = <T>(knex: Knex, work: (tx: Tx) => Promise<T>): Promise<T> =>
    knex.transaction(async (trx) => {
      const result = await work({ knex: trx } as unknown as Tx)
      for (const finish of finishing.get(trx) ?? []) await finish()
      return result
    })
  const withOwn = async <T>(work: (knex: Knex) => Promise<T>): Promise<T> => {
    const knex = open(false)
    try {
      return await work(knex)
    } finally {
      await knex.destroy()
    }
  }
  return {
    dialect,
    name: dialect === 'sqlite' ? filename : placeOf(url),
    db: { knex: main },
    transact: (work) => untilNoDeadlock(() => inTransaction(main, work)),
    migrationKnex: () => open(false),
    snapshot: (work) =>
      withOwn((knex) =>
        dialect === 'postgres'
          ? knex.transaction((trx) => work({ knex: trx }), { isolationLevel: 'repeatable read', readOnly: true })
          : snapshotSqlite(knex, () => work({ knex })),
      ),
    fill: (work) => withOwn((knex) => inTransaction(knex, work)),
    listen: (listener) =>
      dialect === 'postgres' ? listenOnPostgres(url, signalChannel, listener) : { close: () => Promise.resolve() },
    watch: (begin) => watchStatements(main, begin),
    pool: () => poolOf(main),
    destroy: () => main.destroy(),
  }
}

/** True on PostgreSQL, where several transactions write at the same time. */
export const isPostgres = (db: Db): boolean => isPostgresDialect(db.knex)

/** Rows of a read whose statement every connection prepares once: knex would have it parsed and planned anew each time. */
export const readPrepared = (db: Db, read: PreparedRead, values: readonly unknown[]): Promise<RawRow[]> =>
  onConnection(db.knex, { sql: read.sql, bindings: values }, (connection) =>
    isPostgres(db)
      ? readPostgres(connection as PostgresConnection, read, values)
      : readSqlite(connection as SqliteConnection, read, values),
  )

/** A write on a hot path, prepared like a read; with the rows it returns. */
export const writePrepared = (tx: Tx, write: PreparedRead, values: readonly unknown[]): Promise<RawRow[]> =>
  readPrepared(tx, write, values)

/** A write whose text is another one each time (several rows), written out with `?` for values; with the rows it returns. */
export const writeRaw = async (tx: Tx, sql: string, values: readonly unknown[]): Promise<readonly RawRow[]> => {
  const result = await tx.knex.raw(sql, values as Knex.RawBinding[])
  return isPostgres(tx) ? result.rows : result
}

/** `column <sql>` finds any of a list that travels as one value: the statement's text stays the same however long the list is. */
export const listParameter = (db: Db): { readonly sql: string; readonly encode: (list: readonly string[]) => unknown } =>
  isPostgres(db)
    ? { sql: '= any(?)', encode: (list) => list }
    : { sql: 'in (select value from json_each(?))', encode: (list) => JSON.stringify(list) }

/** Name of the unique index or `table.column` that a write violated, or undefined when the error is another one. */
export const uniqueViolation = (error: unknown): string | undefined => {
  const { code, constraint, message } = error as { code?: string; constraint?: string; message?: string }
  if (code === '23505') return constraint ?? ''
  return code === 'SQLITE_CONSTRAINT' ? /UNIQUE constraint failed: (.*)$/.exec(message ?? '')?.[1] : undefined
}

/** True when a write referred to a parent row that does not exist. */
export const isForeignKeyViolation = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string }
  return code === '23503' || (code === 'SQLITE_CONSTRAINT' && /FOREIGN KEY constraint failed/.test(message ?? ''))
}

/** True when a transaction was rolled back because of certain rows: others that came with it may succeed without it. */
export const isConflict = (error: unknown): boolean => {
  const { code } = error as { code?: string }
  return isForeignKeyViolation(error) || uniqueViolation(error) !== undefined || /^(40P01|40001|55P03)$/.test(code ?? '')
}

/** True when the database cannot be reached, rather than the statement being wrong. */
export const isUnavailable = (error: unknown): boolean => {
  const { code, name, message } = error as { code?: string; name?: string; message?: string }
  if (name === 'KnexTimeoutError') return true
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|SQLITE_BUSY|57P0|57014|55P03|25P03|08|53300)/.test(code ?? '')) return true
  return /Connection terminated|timeout exceeded when trying to connect|connection timeout|timeout expired|query read timeout/i.test(
    message ?? '',
  )
}

/** Rows that running transactions have locked, by their knex. */
const locked = new WeakMap<object, Set<string>>()

/**
 * Locks one row until the transaction ends. Sends nothing for a row that this transaction has locked before, nor on SQLite, where the
 * transaction holds the only write lock.
 */
export const lockRow = async (tx: Tx, tableName: string, id: string): Promise<void> => {
  if (!isPostgres(tx)) return
  const names = locked.get(tx.knex) ?? new Set<string>()
  locked.set(tx.knex, names)
  const name = `${tableName} ${id}`
  if (names.has(name)) return
  await tx.knex(tableName).where({ id }).select('id').forUpdate()
  names.add(name)
}

/** Locks a name until the transaction ends, where there is no row to lock. On SQLite the transaction already holds the only write lock. */
export const lockName = async (tx: Tx, name: string): Promise<void> => {
  const sql = 'select pg_advisory_xact_lock(hashtextextended(?, 0))'
  if (isPostgres(tx)) await readPrepared(tx, { name: 'lock_name', sql }, [name])
}

/** Locks those of the names that are free, until the transaction ends, without waiting. On SQLite the transaction already holds the only write lock. */
export const lockFreeNames = async (tx: Tx, names: readonly string[]): Promise<readonly string[]> => {
  if (!isPostgres(tx)) return names
  const sql = 'select name from unnest(?::text[]) as name where pg_try_advisory_xact_lock(hashtextextended(name, 0))'
  const rows = await readPrepared(tx, { name: 'lock_free_names', sql }, [names])
  return rows.map(({ name }) => name as string)
}

/** What a service gets in the place of the database whose use cases take part in a transaction that somebody else has begun. */
export const joining = (tx: Tx): { readonly db: Db; readonly transact: Transact } => ({ db: tx, transact: (work) => work(tx) })

/** Runs `work` just before the commit of the transaction; what it throws rolls the transaction back. */
export const beforeCommit = (tx: Tx, work: () => Promise<void>): void => {
  finishing.set(tx.knex, [...(finishing.get(tx.knex) ?? []), work])
}

/** Runs `work` once the transaction is committed, and never when it is rolled back. */
export const afterCommit = (tx: Tx, work: () => void): void => {
  settled(tx.knex).then(work, () => undefined)
}
