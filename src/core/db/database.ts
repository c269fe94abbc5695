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

/** A database handle that may read: all that the read function of a store needs. */
export interface Db {
  readonly knex: Knex
}

declare const write: unique symbol
/** A database handle that may also write. Only `transact` creates one, so code that writes outside of a transaction does not compile. */
export interface Tx extends Db {
  readonly [write]: true
}

/** Runs `work` in one transaction, which is rolled back when it throws. Only SQL belongs inside. */
export type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** Where the database is, for messages: a file, or host and name. */
  readonly name: string
  /**
   * True behind a pooler that gives each transaction another connection (`database.pooler`). The state of a connection then ends with the
   * transaction.
   */
  readonly isPooled: boolean
  readonly db: Db
  readonly transact: Transact
  /** Makes every later write throw the error that `why` returns. A program must not write to an older schema. */
  refuseWrites(why: () => Error): void
  /** False after `refuseWrites`. */
  acceptsWrites(): boolean
  /** Runs a single statement, which is atomic by itself and takes one round trip instead of three. A second statement throws. */
  readonly single: Transact
  /** The same database on a connection of its own, which checks no foreign keys. Migrations use it, and their caller destroys it. */
  migrationKnex(): Knex
  /** Runs reads on a connection of its own without time limits. All of them see the state at the first read. Writers do not wait. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Runs one transaction on a connection like that of migrations, to fill an empty database. The caller checks the foreign keys. */
  fill: Transact
  /** Describes, in a sentence, the setting of the database that keeps this program from working, or undefined. */
  settingProblem(): Promise<string | undefined>
  /** Finds out whether a pooler stands between this process and the database, and of which kind. Takes one statement if there is none. */
  pooling(): Promise<Pooling>
  /**
   * Receives the signals that transactions of any node send. Uses a connection of its own, which is opened again after a failure. No
   * signals arrive on SQLite, which has a single process, and through a pooler, which does not forward them.
   */
  listen(listener: Listener): { close(): Promise<void> }
  /**
   * Calls `begin` with the text of each statement. The function that `begin` returns is called when the statement is answered. Texts have
   * placeholders in the place of values.
   */
  watch(begin: (sql: string) => (error?: unknown) => void): void
  /** Calls `tell` with the error of each failed statement, until the returned function is called. */
  onFailure(tell: (error: unknown) => void): () => void
  /** Numbers of this process: connections in use, idle connections, and requests that wait for a connection. */
  pool(): Readonly<Record<'used' | 'idle' | 'waiting', number>>
  destroy(): Promise<void>
}

export interface DatabaseOptions {
  /** `sqlite:<file>`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string
  readonly poolMax: number
  /** Only for SQLite. With `FULL` the last commits survive a power failure; with `NORMAL` they survive only a crash of the process. */
  readonly synchronous: 'NORMAL' | 'FULL'
  /** Only for PostgreSQL: `transaction` for a pooler that chooses a connection for each transaction. `none` when absent. */
  readonly pooler?: 'none' | 'transaction'
  /** Only for PostgreSQL: called when an idle connection breaks. */
  readonly onError?: (error: Error) => void
}

/** The channel of `pg_notify` that carries the signals of this database. */
export const signalChannel = 'gatehouse'

/** Host and name of a PostgreSQL database, without user and password. */
const placeOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? 'of GATEHOUSE_DATABASE_URL' : `${parsed.pathname.slice(1)} at ${parsed.host}`
}

/** Opens the database, which connects when it is first used. Throws for an address that is neither SQLite nor PostgreSQL. */
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
        // If a pooler has no connection for the `begin`, it may find one for the next statement, which would then be committed by itself.
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

/** True on PostgreSQL, where several transactions write at the same time. */
export const isPostgres = (db: Db): boolean => isPostgresDialect(db instanceof Running ? db.pool : db.knex)

/** Sends a prepared statement, on the connection of the transaction or on any connection of the pool. */
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

/** The rows of a prepared read. Each connection prepares the statement once. Through knex, the database would parse and plan it each time. */
export const readPrepared = async (db: Db, read: PreparedRead, values: readonly unknown[]): Promise<RawRow[]> =>
  (await run(db, read, values)).rows

/** Runs a prepared write and returns the rows of its `returning` clause. Used for writes of every request. */
export const writePrepared = (tx: Tx, write: PreparedRead, values: readonly unknown[]): Promise<RawRow[]> =>
  readPrepared(tx, write, values)

/** Runs a prepared write, and returns how many rows it changed. */
export const changePrepared = async (tx: Tx, write: PreparedRead, values: readonly unknown[]): Promise<number> =>
  (await run(tx, { ...write, isChange: true }, values)).changed

/**
 * Runs prepared statements of one transaction in order and returns the result of each. PostgreSQL gets all of them before it answers the
 * first. After one fails, all later ones fail, too, and the first error is thrown.
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

/** Runs a write whose text depends on the number of its rows, with `?` for values. Returns the rows of its `returning` clause. */
export const writeRaw = async (tx: Tx, sql: string, values: readonly unknown[]): Promise<readonly RawRow[]> => {
  const result = await tx.knex.raw(sql, values as Knex.RawBinding[])
  return isPostgres(tx) ? result.rows : result
}

/** A condition `column <sql>` for any value of a list. The list is one parameter, so the text of the statement does not depend on its length. */
export const listParameter = (db: Db): { readonly sql: string; readonly encode: (list: readonly string[]) => unknown } =>
  isPostgres(db)
    ? { sql: '= any(?)', encode: (list) => list }
    : { sql: 'in (select value from json_each(?))', encode: (list) => JSON.stringify(list) }

/** A longer list is sent as one parameter. */
const mostParameters = 64

/**
 * A condition `column <sql>` for any value of a list with at most `length` values. Each value is a parameter; the last one is repeated
 * until their number is a power of two. So only few texts exist, each with its own `name`, and PostgreSQL plans each of them once. With a
 * list in one parameter it would plan every statement.
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

/** Name of the unique index, or `table.column`, that a write has violated. Undefined for any other error. */
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

/** True if a transaction was rolled back because of some of its rows. The other work of its batch may succeed without them. */
export const isConflict = (error: unknown): boolean => {
  const { code } = error as { code?: string }
  return isForeignKeyViolation(error) || uniqueViolation(error) !== undefined || /^(40P01|40001|55P03)$/.test(code ?? '')
}

/** True while the database cannot be reached: another attempt may succeed soon. */
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
 * True if the database cannot be reached, accepts no writes, or refuses this program for an external reason (a changed password, a
 * revoked right, a certificate). False for a wrong statement.
 */
export const isUnavailable = (error: unknown): boolean => {
  if (isUnreachable(error)) return true
  if (isOfConnecting(error)) return !isPoolerError(error)
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  // OpenSSL codes may come from other parts of the program. While a connection exists, only errors that the database sent are about the
  // database.
  const isSaid = severity !== undefined || String(code).startsWith('SQLITE_')
  // If a value is too long for an index (class 54), its statement is wrong and not the database.
  return isSaid && !String(code).startsWith('54') && databaseFailureOf(error) !== undefined
}

/**
 * Locks one row until the transaction ends. Sends nothing if this transaction has locked the row before, and nothing on SQLite, where a
 * transaction has the only write lock.
 */
export const lockRow = async (tx: Tx, tableName: string, id: string): Promise<void> => {
  if (!isPostgres(tx) || !isFirstLock(tx, `${tableName} ${id}`)) return
  await readPrepared(tx, { name: `lock_${tableName}`, sql: `select id from "${tableName}" where id = ? for update` }, [id])
}

/** Locks a name until the transaction ends, for cases without a row to lock. On SQLite the transaction already has the only write lock. */
export const lockName = async (tx: Tx, name: string): Promise<void> => {
  const sql = 'select pg_advisory_xact_lock(hashtextextended(?, 0))'
  if (isPostgres(tx)) await readPrepared(tx, { name: 'lock_name', sql }, [name])
}

/** Locks names in sorted order, so that two transactions never wait for each other. */
export const lockNames = async (tx: Tx, names: readonly string[]): Promise<void> => {
  if (!isPostgres(tx) || names.length === 0) return
  const sql = 'select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(?::text[]) as name'
  await readPrepared(tx, { name: 'lock_names', sql }, [names.toSorted()])
}

/**
 * Locks those of the names that are free, until the transaction ends, without waiting. On SQLite the transaction already has the only
 * write lock.
 */
export const lockFreeNames = async (tx: Tx, names: readonly string[]): Promise<readonly string[]> => {
  if (!isPostgres(tx)) return names
  const sql = 'select name from unnest(?::text[]) as name where pg_try_advisory_xact_lock(hashtextextended(name, 0))'
  const rows = await readPrepared(tx, { name: 'lock_free_names', sql }, [names])
  return rows.map(({ name }) => name as string)
}
