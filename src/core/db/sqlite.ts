import knex, { type Knex } from 'knex'
import { type Answered, acquireTimeoutMs, type PreparedRead, type RawRow, silent } from './driver.ts'
import { announced, dropUnfit, immediateClient, type SqliteQuery } from './knex-parts.ts'

interface RawConnection {
  exec(sql: string, done: (error: Error | null) => void): void
}
interface Statement {
  all(values: readonly unknown[], done: (error: Error | null, rows: RawRow[]) => void): void
  run(
    values: readonly unknown[],
    done: (this: { readonly changes: number; readonly lastID: number }, error: Error | null) => void,
  ): void
  reset(done: () => void): void
  finalize(): void
}
/** A connection of the driver `sqlite3`. */
export interface SqliteConnection {
  prepare(sql: string, done: (error: Error | null) => void): Statement
}

const statements = new WeakMap<object, Map<string, Statement>>()

/** The statements of knex that a connection has prepared, by their text. The statement that was used last is the last one. */
const keptStatements = new WeakMap<object, Map<string, Statement>>()

/** Number of kept statements of a connection. */
const keptLimit = 200

/** Longest text of a kept statement, together with its values. SQLite holds the values until the next use. */
const keptLength = 8_000

/** Closes all prepared statements of a connection. Otherwise the connection could not be closed. */
const closeStatements = (connection: object) => {
  for (const open of [statements, keptStatements])
    for (const statement of open.get(connection)?.values() ?? []) statement.finalize()
}

/**
 * Ends a statement that has failed, and throws its error. SQLite leaves a change open that found the database locked. While it is open, nothing
 * that the connection changes is committed.
 */
const failed = (statement: Statement, error: unknown): Promise<never> =>
  new Promise((_, reject) => statement.reset(() => reject(error)))

/** Keeps a prepared statement, in the place of the statement that was not used for the longest time. */
const keep = (kept: Map<string, Statement>, sql: string, statement: Statement) => {
  kept.delete(sql)
  kept.set(sql, statement)
  const [oldest] = kept
  if (kept.size <= keptLimit || oldest === undefined) return
  kept.delete(oldest[0])
  oldest[1].finalize()
}

/** Sends the prepared statement with this text by `send`. A connection prepares each text once. */
const withKept = async <T>(connection: SqliteConnection, sql: string, send: (statement: Statement) => Promise<T>): Promise<T> => {
  const use = (statement: Statement) => send(statement).catch((error: unknown) => failed(statement, error))
  const kept = keptStatements.get(connection) ?? new Map<string, Statement>()
  keptStatements.set(connection, kept)
  const known = kept.get(sql)
  if (known !== undefined) {
    keep(kept, sql, known)
    return use(known)
  }
  const prepared = Promise.withResolvers<void>()
  const statement = connection.prepare(sql, (error) => (error === null ? prepared.resolve() : prepared.reject(error)))
  // The driver uses the statement when it is prepared. If that fails, it answers only the preparation.
  const used = use(statement)
  used.catch(() => undefined)
  await prepared.promise
  try {
    return await used
  } finally {
    // A simultaneous call may have prepared the same text.
    if (kept.has(sql)) statement.finalize()
    else keep(kept, sql, statement)
  }
}

const isWithoutRows = ({ method, returning }: SqliteQuery) =>
  method === 'counter' || method === 'del' || ((method === 'insert' || method === 'update') && !returning)

/**
 * Sends a statement of knex with a prepared statement of the connection, so that SQLite parses and plans each text once. Long statements,
 * statements that neither read nor write rows, and changes that stop at their first row are left to knex.
 */
const sendKept = (connection: object, query: SqliteQuery): Promise<SqliteQuery> | undefined => {
  const { sql, bindings } = query
  const isChange = isWithoutRows(query)
  if (!/^(select|insert|update|delete|with)\b/i.test(sql) || (isChange && /\breturning\b/i.test(sql))) return undefined
  const length = bindings.reduce((sum: number, value) => sum + ((value as { length?: number } | null)?.length ?? 0), sql.length)
  if (length > keptLength) return undefined
  return withKept(
    connection as SqliteConnection,
    sql,
    (statement) =>
      new Promise((resolve, reject) => {
        if (isChange)
          statement.run(bindings, function (error) {
            // The driver writes the numbers of the next use into the same object.
            if (error === null) resolve(Object.assign(query, { context: { changes: this.changes, lastID: this.lastID } }))
            else reject(error)
          })
        else
          statement.all(bindings, (error, response) =>
            error === null ? resolve(Object.assign(query, { response })) : reject(error),
          )
      }),
  )
}

/**
 * Opens a SQLite file with one connection. A second connection would only wait for the lock of the first one, and would block a thread of
 * libuv's pool meanwhile.
 */
export const openSqlite = (filename: string, synchronous: string, foreignKeys: boolean): Knex =>
  knex({
    client: immediateClient({ send: sendKept, beforeClose: closeStatements }),
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
        // Switching a new file to WAL fails at once if another process opens the file at the same moment, so it is repeated.
        const apply = (tries: number) =>
          connection.exec(settings, (error) => {
            if ((error as { code?: string } | null)?.code === 'SQLITE_BUSY' && tries > 0) setTimeout(apply, 50, tries - 1)
            else done(error, connection)
          })
        apply(100)
      },
    },
  })

/** Prepares a statement. This fails, for example, if a table is missing. */
const prepare = (connection: SqliteConnection, sql: string): Promise<Statement> =>
  new Promise((resolve, reject) => {
    const statement = connection.prepare(sql, (error) => (error === null ? resolve(statement) : reject(error)))
  })

/** The prepared statement with this name. A connection prepares it once. */
const statementOf = async (connection: SqliteConnection, { name, sql, packed }: PreparedRead): Promise<Statement> => {
  const known = statements.get(connection) ?? new Map<string, Statement>()
  statements.set(connection, known)
  const made = await prepare(connection, packed?.sql ?? sql)
  const first = known.get(name) ?? made
  // A simultaneous call has prepared the same statement first, so this copy is closed.
  if (first !== made) made.finalize()
  known.set(name, first)
  return first
}

/** Turns packed rows into rows. A packed row is a JSON text, with its documents beside the text. */
const unpack = (rows: readonly RawRow[], { names, documents }: NonNullable<PreparedRead['packed']>): RawRow[] =>
  rows.map((raw) => {
    const values: readonly unknown[] = JSON.parse(raw['packed'] as string)
    const row: Record<string, unknown> = {}
    names.forEach((name, at) => {
      row[name] = values[at]
    })
    for (const name of documents) row[name] = raw[name]
    return row
  })

/** Runs a prepared statement. A connection prepares a statement once, by its name. */
export const runSqlite = async (
  connection: SqliteConnection,
  read: PreparedRead,
  values: readonly unknown[],
): Promise<Answered> => {
  const statement = statements.get(connection)?.get(read.name) ?? (await statementOf(connection, read))
  const answered = await new Promise<Answered>((resolve, reject) => {
    if (read.isChange === true)
      statement.run(values, function (error) {
        if (error === null) resolve({ rows: [], changed: this.changes })
        else reject(error)
      })
    else statement.all(values, (error, rows) => (error === null ? resolve({ rows, changed: rows.length }) : reject(error)))
  }).catch((error: unknown) => {
    dropUnfit(connection, error)
    return failed(statement, error)
  })
  // Rows are unpacked here and not in the callback of the driver, because an error that is thrown in the callback would end the process.
  return read.packed === undefined ? answered : { ...answered, rows: unpack(answered.rows, read.packed) }
}

/**
 * How a transaction begins and ends on SQLite. `BEGIN IMMEDIATE` takes the write lock at once. With a plain `BEGIN`, a second process
 * would fail with SQLITE_BUSY.
 */
export const beginSqlite = {
  begin: 'BEGIN IMMEDIATE;',
  send: (pool: Knex, connection: object, sql: string) =>
    announced(pool, { sql, bindings: [] }, () => runSqlite(connection as SqliteConnection, { name: sql, sql }, [])),
}

/**
 * Runs reads in a transaction that does not take the write lock, as transactions of knex would. In WAL mode, such a transaction blocks no
 * other process. `connection` is a pool with one connection.
 */
export const snapshotSqlite = async <T>(connection: Knex, work: () => Promise<T>): Promise<T> => {
  await connection.raw('PRAGMA query_only=ON')
  await connection.raw('BEGIN')
  try {
    // The transaction sees the state that the database has at the first read. So a read is made at once.
    await connection.raw('select count(*) from sqlite_master')
    return await work()
  } finally {
    await connection.raw('COMMIT')
  }
}
