import type { Knex } from 'knex'
import { type Answered, type PreparedRead, preparedSelect, type RawRow, type SelectedColumn, selectList } from './driver.ts'
import { databaseFailureOf } from './failures.ts'
import {
  acquire,
  announced,
  isOfConnecting,
  isPostgresDialect,
  poolOf,
  release,
  watchFailures,
  watchStatements,
} from './knex-parts.ts'
import { isPoolerError, type Pooling, poolingOf } from './pooler.ts'
import {
  beginPostgres,
  type Listener,
  listenOnPostgres,
  openPostgres,
  type PostgresConnection,
  runPostgres,
  settingProblem,
} from './postgres.ts'
import { beginSqlite, openSqlite, runSqlite, type SqliteConnection, snapshotSqlite } from './sqlite.ts'
import { inTransaction, isFirstLock, Running, untilNoDeadlock, withoutTransaction } from './transaction.ts'
import { writeFailureOf } from './write-failure.ts'

export { afterCommit, beforeCommit, joining, OvertakenError, writeLast } from './transaction.ts'
export type { Pooling, PreparedRead, RawRow, SelectedColumn }
export { isPoolerError, preparedSelect, selectList }

/** A database handle that can read. Functions of a store that only read take this type. */
export interface Db {
  readonly knex: Knex
}

declare const write: unique symbol
/**
 * A database handle that can also write. Only `transact` and its variants create one, so code that writes outside of a transaction does
 * not compile.
 */
export interface Tx extends Db {
  readonly [write]: true
}

/** Runs `work` in one transaction. If `work` throws, the transaction is rolled back. Inside of `work`, run only SQL. */
export type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** Names the database in messages: the file, or host and database name. */
  readonly name: string
  /**
   * True if a pooler between this process and the server may use another connection for each transaction (`database.pooler`). Then the
   * state of a connection ends with its transaction.
   */
  readonly isPooled: boolean
  readonly db: Db
  readonly transact: Transact
  /**
   * From now on, every write throws the error that `why` returns. Used because a program must not write to a schema that is older than
   * itself.
   */
  refuseWrites(why: () => Error): void
  /** True until `refuseWrites` is called. */
  acceptsWrites(): boolean
  /**
   * Runs a single statement without a transaction: one statement is atomic by itself, and this takes one round trip instead of three.
   * Throws for a second statement.
   */
  readonly single: Transact
  /** Opens another connection to the same database that does not check foreign keys. Migrations use it. The caller has to destroy it. */
  migrationKnex(): Knex
  /**
   * Runs reads on a separate connection without time limits. All reads see the state that the database had at the first of them. Writers
   * are not delayed.
   */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Runs one transaction that fills an empty database. Like a migration, it does not check foreign keys; the caller has to check them. */
  fill: Transact
  /** Describes a setting of the database that keeps this program from working, as a sentence. Undefined if there is none. */
  settingProblem(): Promise<string | undefined>
  /** Finds out what kind of pooler is between this process and the database. If there is none, it takes one statement. */
  pooling(): Promise<Pooling>
  /**
   * Calls `listener` for the signals that transactions of any node send. It uses a separate connection, which is opened again after a
   * failure. Two cases receive no signals: SQLite, which has only one process, and a pooler, which does not forward them.
   */
  listen(listener: Listener): { close(): Promise<void> }
  /**
   * Calls `begin` with the text of each statement that is sent. `begin` returns a function that is called when the statement is answered.
   * Texts contain placeholders instead of values.
   */
  watch(begin: (sql: string) => (error?: unknown) => void): void
  /** From now on, calls `tell` with the error of each statement that fails. The returned function ends that. */
  onFailure(tell: (error: unknown) => void): () => void
  /** How many connections of this process are in use, how many are idle, and how many requests wait for a connection. */
  pool(): Readonly<Record<'used' | 'idle' | 'waiting', number>>
  destroy(): Promise<void>
}

export interface DatabaseOptions {
  /** `sqlite:<file>`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string
  readonly poolMax: number
  /** SQLite only. With `FULL`, the last commits survive a power failure. With `NORMAL`, they survive only a crash of the process. */
  readonly synchronous: 'NORMAL' | 'FULL'
  /** PostgreSQL only. `transaction`: a pooler chooses a connection for each transaction. When absent: `none`. */
  readonly pooler?: 'none' | 'transaction'
  /** PostgreSQL only. Called when an idle connection breaks. */
  readonly onError?: (error: Error) => void
}

/** The name of the `pg_notify` channel for the signals between the nodes of an instance. */
export const signalChannel = 'gatehouse'

/** Host and database name of a PostgreSQL URL, without user and password. */
const placeOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? 'of GATEHOUSE_DATABASE_URL' : `${parsed.pathname.slice(1)} at ${parsed.host}`
}

/** Opens a database. It connects when it is first used. Throws for a URL that is neither of SQLite nor of PostgreSQL. */
export const openDatabase = ({
  url,
  poolMax,
  synchronous,
  pooler = 'none',
  onError = () => undefined,
}: DatabaseOptions): Database => {
  const dialect = /^postgres(ql)?:/.test(url) ? 'postgres' : 'sqlite'
  if (dialect === 'sqlite' && !url.startsWith('sqlite:')) throw new Error('database address is neither sqlite: nor postgres:')
  const filename = url.slice('sqlite:'.length)
  const isPooled = dialect === 'postgres' && pooler === 'transaction'
  const open = (foreignKeys: boolean) =>
    dialect === 'postgres'
      ? openPostgres({ url, max: poolMax, onError, isForMigrations: !foreignKeys, isPooled })
      : openSqlite(filename, synchronous, foreignKeys)
  const main = open(true)
  const within = <T>(knex: Knex, work: (tx: Tx) => Promise<T>) =>
    inTransaction(
      knex,
      {
        ...(dialect === 'postgres' ? beginPostgres : beginSqlite),
        write: (tx, { statement, values }) => run(tx, statement, values),
        isPipelined: dialect === 'postgres',
        // Behind a pooler, `begin` may fail because the pooler has no free connection, and the next statement may get one. That statement
        // would then be committed by itself. So statements wait for the answer to `begin`.
        isBeginAwaited: dialect === 'sqlite' || isPooled,
      },
      work,
    )
  const withOwn = async <T>(work: (knex: Knex) => Promise<T>): Promise<T> => {
    const knex = open(false)
    try {
      return await work(knex)
    } finally {
      await knex.destroy()
    }
  }
  let refusal: (() => Error) | undefined
  const writing = async <T>(work: () => Promise<T>): Promise<T> => {
    if (refusal !== undefined) throw refusal()
    return untilNoDeadlock(work)
  }
  return {
    dialect,
    name: dialect === 'sqlite' ? filename : placeOf(url),
    isPooled,
    db: { knex: main },
    transact: (work) => writing(() => within(main, work)),
    refuseWrites: (why) => {
      refusal = why
    },
    acceptsWrites: () => refusal === undefined,
    single: (work) => writing(() => withoutTransaction(main, work)),
    migrationKnex: () => open(false),
    snapshot: (work) =>
      withOwn((knex) =>
        dialect === 'postgres'
          ? knex.transaction((trx) => work({ knex: trx }), { isolationLevel: 'repeatable read', readOnly: true })
          : snapshotSqlite(knex, () => work({ knex })),
      ),
    fill: (work) => withOwn((knex) => within(knex, work)),
    pooling: async () => (dialect === 'postgres' ? poolingOf(main, url) : 'none'),
    settingProblem: async () => (dialect === 'postgres' ? settingProblem(main, isPooled) : undefined),
    listen: (listener) =>
      dialect === 'postgres' && !isPooled ? listenOnPostgres(url, signalChannel, listener) : { close: () => Promise.resolve() },
    watch: (begin) => watchStatements(main, begin),
    onFailure: (tell) => watchFailures(main, tell),
    pool: () => poolOf(main),
    destroy: () => main.destroy(),
  }
}

/** True on PostgreSQL, where several transactions can write at the same time. */
export const isPostgres = (db: Db): boolean => isPostgresDialect(db instanceof Running ? db.pool : db.knex)

/** Sends a prepared statement. In a transaction it uses the connection of the transaction, otherwise any connection of the pool. */
const run = async (db: Db, read: PreparedRead, values: readonly unknown[]): Promise<Answered> => {
  const isRunning = db instanceof Running
  if (isRunning) db.begin()
  const pool = isRunning ? db.pool : db.knex
  const connection = isRunning ? db.connection : await acquire(pool)
  const send = () =>
    announced(pool, { sql: read.sql, bindings: values }, () =>
      isPostgresDialect(pool)
        ? runPostgres(connection as PostgresConnection, read, values)
        : runSqlite(connection as SqliteConnection, read, values),
    )
  try {
    return await (isRunning ? db.sending(send) : send())
  } finally {
    if (!isRunning) release(pool, connection)
  }
}

/**
 * Runs a prepared read and returns its rows. A connection prepares the statement once. With knex, the database would parse and plan the
 * statement each time.
 */
export const readPrepared = async (db: Db, read: PreparedRead, values: readonly unknown[]): Promise<RawRow[]> =>
  (await run(db, read, values)).rows

/** Runs a prepared write and returns the rows of its `returning` clause. Used for writes that every request makes. */
export const writePrepared = (tx: Tx, write: PreparedRead, values: readonly unknown[]): Promise<RawRow[]> =>
  readPrepared(tx, write, values)

/** Runs a prepared write and returns the number of changed rows. */
export const changePrepared = async (tx: Tx, write: PreparedRead, values: readonly unknown[]): Promise<number> =>
  (await run(tx, { ...write, isChange: true }, values)).changed

/**
 * Runs prepared statements of one transaction in order, and returns their results. PostgreSQL gets all of them before it answers the
 * first. If a statement fails, all later ones fail, too, and the error of the first failed statement is thrown.
 */
export const inTurn = async <const T extends readonly (() => Promise<unknown>)[]>(
  tx: Tx,
  works: T,
): Promise<{ -readonly [I in keyof T]: Awaited<ReturnType<T[I]>> }> => {
  const done: unknown[] = []
  const sent = isPostgres(tx) ? works.map((work) => work()) : []
  await Promise.allSettled(sent)
  for (const [i, work] of works.entries()) done.push(await (sent[i] ?? work()))
  return done as { -readonly [I in keyof T]: Awaited<ReturnType<T[I]>> }
}

/**
 * Runs a write whose text depends on the number of rows to write. The text has `?` in the place of values. Returns the rows of its
 * `returning` clause.
 */
export const writeRaw = async (tx: Tx, sql: string, values: readonly unknown[]): Promise<readonly RawRow[]> => {
  const result = await tx.knex.raw(sql, values as Knex.RawBinding[])
  return isPostgres(tx) ? result.rows : result
}

/**
 * An SQL condition that is true if a column has any value of a list (`column <sql>`). The list is one parameter, so that the text of the
 * statement does not depend on the length of the list.
 */
export const listParameter = (db: Db): { readonly sql: string; readonly encode: (list: readonly string[]) => unknown } =>
  isPostgres(db)
    ? { sql: '= any(?)', encode: (list) => list }
    : { sql: 'in (select value from json_each(?))', encode: (list) => JSON.stringify(list) }

/** Largest number of values that are sent as one parameter each. A longer list is sent as a single parameter. */
const mostParameters = 64

/**
 * An SQL condition that is true if a column has any value of `list` (`column <sql>`), which has at most `length` values. Each value is
 * one parameter, and the last value is repeated until the number of parameters is a power of two. So there are few different texts, each
 * with its own `name`, and PostgreSQL plans each text once. If the list were a single parameter, PostgreSQL would plan every execution.
 */
export const anyOf = (
  db: Db,
  list: readonly string[],
  length = list.length,
): { readonly sql: string; readonly values: readonly unknown[]; readonly name: string } => {
  if (length > mostParameters) {
    const { sql, encode } = listParameter(db)
    return { sql, values: [encode(list)], name: 'many' }
  }
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, length)))
  const values = Array.from({ length: size }, (_, i) => list[i] ?? list.at(-1) ?? null)
  return { sql: `in (${values.map(() => '?').join(', ')})`, values, name: String(size) }
}

/** The unique constraint that a write has violated: the name of its index, or `table.column`. Undefined for any other error. */
export const uniqueViolation = (error: unknown): string | undefined => {
  const { code, constraint, message } = error as { code?: string; constraint?: string; message?: string }
  if (code === '23505') return constraint ?? ''
  return code === 'SQLITE_CONSTRAINT' ? /UNIQUE constraint failed: (.*)$/.exec(message ?? '')?.[1] : undefined
}

/** True if a write has failed because the row that a foreign key names does not exist. */
export const isForeignKeyViolation = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string }
  return code === '23503' || (code === 'SQLITE_CONSTRAINT' && /FOREIGN KEY constraint failed/.test(message ?? ''))
}

/**
 * True if a transaction was rolled back because of a conflict about some of its rows. Without these rows, the other work of the batch may
 * succeed.
 */
export const isConflict = (error: unknown): boolean => {
  const { code } = error as { code?: string }
  return isForeignKeyViolation(error) || uniqueViolation(error) !== undefined || /^(40P01|40001|55P03)$/.test(code ?? '')
}

/** True if the database could not be reached, so that another attempt may succeed soon. */
export const isUnreachable = (error: unknown): boolean => {
  const { code, name, message, syscall } = error as { code?: string; name?: string; message?: string; syscall?: string }
  if (name === 'KnexTimeoutError' || syscall === 'connect') return true
  if (isPoolerError(error)) return false
  if (writeFailureOf(error) !== undefined) return true
  if (
    /^(ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|SQLITE_BUSY|SQLITE_NOMEM|57P0|57014|55P03|25P0[34]|08|53)/.test(
      code ?? '',
    )
  )
    return true
  return /Connection terminated|not queryable|timeout exceeded when trying to connect|connection timeout|timeout expired|query read timeout/i.test(
    message ?? '',
  )
}

/**
 * True if the database cannot be reached, accepts no writes, or refuses this program for an external reason, such as a changed password,
 * a revoked right or a certificate. False for a wrong statement.
 */
export const isUnavailable = (error: unknown): boolean => {
  if (isUnreachable(error)) return true
  if (isOfConnecting(error)) return !isPoolerError(error)
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  // An error without a severity may come from OpenSSL in another part of the program. So while a connection exists, only errors that the
  // database itself sent are counted.
  const isSaid = severity !== undefined || String(code).startsWith('SQLITE_')
  // Class 54 is excluded: a value that is too long for an index is a fault of the statement, not of the database.
  return isSaid && !String(code).startsWith('54') && databaseFailureOf(error) !== undefined
}

/**
 * Locks one row until the transaction ends. Sends no statement if this transaction has already locked the row, and none on SQLite, where
 * a writing transaction already excludes all others.
 */
export const lockRow = async (tx: Tx, tableName: string, id: string): Promise<void> => {
  if (!isPostgres(tx) || !isFirstLock(tx, `${tableName} ${id}`)) return
  await readPrepared(tx, { name: `lock_${tableName}`, sql: `select id from "${tableName}" where id = ? for update` }, [id])
}

/**
 * Locks a name until the transaction ends. Used where no row exists that could be locked. Sends nothing on SQLite, where a writing
 * transaction already excludes all others.
 */
export const lockName = async (tx: Tx, name: string): Promise<void> => {
  const sql = 'select pg_advisory_xact_lock(hashtextextended(?, 0))'
  if (isPostgres(tx)) await readPrepared(tx, { name: 'lock_name', sql }, [name])
}

/** Locks names in sorted order, so that two transactions cannot deadlock. */
export const lockNames = async (tx: Tx, names: readonly string[]): Promise<void> => {
  if (!isPostgres(tx) || names.length === 0) return
  const sql = 'select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(?::text[]) as name'
  await readPrepared(tx, { name: 'lock_names', sql }, [names.toSorted()])
}

/**
 * Locks, without waiting, those of the names that no other transaction has locked. Returns the locked names. On SQLite it returns all
 * names, because a writing transaction already excludes all others.
 */
export const lockFreeNames = async (tx: Tx, names: readonly string[]): Promise<readonly string[]> => {
  if (!isPostgres(tx)) return names
  const sql = 'select name from unnest(?::text[]) as name where pg_try_advisory_xact_lock(hashtextextended(name, 0))'
  const rows = await readPrepared(tx, { name: 'lock_free_names', sql }, [names])
  return rows.map(({ name }) => name as string)
}
