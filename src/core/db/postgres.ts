import knex, { type Knex } from 'knex'
import pg from 'pg'
import { type Answered, acquireTimeoutMs, type PreparedRead, type RawRow, silent } from './driver.ts'
import { announced, droppingClient, dropUnfit } from './knex-parts.ts'
import { endings } from './transaction.ts'

// Columns of the type bigint contain counts and milliseconds. All of them are below 2^53, so a number can represent them.
pg.types.setTypeParser(20, Number)

const readTime = pg.types.getTypeParser(1184)
// Most values in lists are times. This parser takes times in UTC with milliseconds, which is the form in which this program writes them,
// and is four times as fast as the driver's parser.
pg.types.setTypeParser(1184, (text: string) =>
  text.length === 26 && text[4] === '-' && text.endsWith('+00')
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`)
    : readTime(text),
)

/** The version that knex assumes, so that it does not ask each new connection. Only versions before 9.2 would behave differently. */
const assumedVersion = '12.0'

/** A connection of the driver `pg`. */
export type PostgresConnection = pg.Client

/**
 * Longest time to wait for the answer to a statement. If a server does not answer, requests must not hang: they get a 503 within ten
 * seconds (security baseline, section 15).
 */
const answerTimeoutMs = 8_000
const limits = { statement_timeout: answerTimeoutMs, lock_timeout: 5_000, idle_in_transaction_session_timeout: 30_000 }

/**
 * Settings that the program's statements and their results depend on: the format of times and bytes, the syntax of quoted text, the
 * isolation of transactions, and timeouts. Each connection sets them, because server, database or role may have other values. The
 * collation is not among them, because each column has its own (`collation.ts`). Other settings are checked when a node starts
 * (`required`).
 */
const sessionSettings = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // With `off`, a statement fails if a policy would hide rows from it. Otherwise lists, counts and backups would be incomplete without an
  // error.
  row_security: 'off',
  idle_session_timeout: '0',
  transaction_timeout: '0',
}
/** Sets these settings, except those that this version of the server does not have. */
const setSettings = (settings: Readonly<Record<string, string | number>>) => ({
  text: 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as v (name, value) where current_setting(name, true) is not null',
  values: [Object.keys(settings), Object.values(settings).map(String)],
})
const unlimited = Object.fromEntries(Object.keys(limits).map((name) => [name, 0]))

/**
 * The SQL that sets time limits and `row_security` for one transaction. Behind a pooler, a connection cannot keep settings, so this SQL
 * is sent with each `begin`.
 */
const settingsOfTransaction = (isUnlimited: boolean): string =>
  Object.entries({ ...(isUnlimited ? unlimited : limits), row_security: sessionSettings.row_security })
    .map(([name, value]) => ` SET LOCAL ${name} = ${value};`)
    .join('')

export interface PostgresOptions {
  readonly url: string
  readonly max: number
  readonly onError: (error: Error) => void
  /** True for a connection without time limits, as migrations need it: building an index may take long. */
  readonly isForMigrations: boolean
  /** True behind a pooler that may use another connection for each transaction. Then nothing on a connection may outlive a transaction. */
  readonly isPooled: boolean
}

/**
 * Connections to a pooler, on which nothing outlives a transaction, not even a prepared statement. For each connection, the SQL that is
 * sent with `begin`.
 */
const pooled = new WeakMap<object, string>()

/** Opens a PostgreSQL database. */
export const openPostgres = ({ url, max, onError, isForMigrations, isPooled }: PostgresOptions): Knex => {
  const afterBegin = isPooled ? settingsOfTransaction(isForMigrations) : ''
  const connection = {
    connectionString: url,
    application_name: 'gatehouse',
    connectionTimeoutMillis: acquireTimeoutMs,
    keepAlive: true,
    // With `pipeline`, `begin` is sent together with the first statement of a transaction, and `commit` together with the last one.
    pipeline: true,
    ...(isForMigrations ? {} : { query_timeout: answerTimeoutMs }),
    ...(isForMigrations || isPooled ? {} : limits),
  }
  return knex({
    client: droppingClient(afterBegin),
    version: assumedVersion,
    log: silent,
    compileSqlOnError: false,
    connection,
    acquireConnectionTimeout: acquireTimeoutMs,
    pool: {
      min: 0,
      max: isForMigrations ? 1 : max,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        connection.on('error', onError)
        if (isPooled) {
          pooled.set(connection, afterBegin)
          done(null, connection)
          return
        }
        // These settings are sent after those of the database URL and of the role, so that they win.
        connection.query(setSettings({ ...sessionSettings, ...(isForMigrations ? unlimited : limits) })).then(
          () => done(null, connection),
          (error: Error) => done(error, connection),
        )
      },
    },
  })
}

/** Runs `send` and returns its result. If the connection is broken afterwards, the pool drops it. */
const answered = async <T>(connection: PostgresConnection, send: () => Promise<T>): Promise<T> => {
  try {
    return await send()
  } catch (error) {
    dropUnfit(connection, error)
    throw error
  }
}

/** For each prepared statement, its text with numbered parameters (`$1`) instead of `?`. */
const numbered = new WeakMap<PreparedRead, string>()
const numberedText = (read: PreparedRead): string => {
  const known = numbered.get(read)
  if (known !== undefined) return known
  let position = 0
  const text = read.sql.replace(/\?/g, () => `$${++position}`)
  numbered.set(read, text)
  return text
}

/** Runs a prepared statement. A connection prepares a statement once, by its name. */
export const runPostgres = async (
  connection: PostgresConnection,
  read: PreparedRead,
  values: readonly unknown[],
): Promise<Answered> => {
  const name = read.hasPlanCacheDisabled === true || pooled.has(connection) ? {} : { name: read.name }
  const query = { ...name, text: numberedText(read), values: [...values] }
  const { rows, rowCount } = await answered(connection, () => connection.query<RawRow>(query))
  return { rows, changed: rowCount ?? 0 }
}

const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED;'

/**
 * Sends `begin`, `commit` and `rollback`. If a statement of the transaction has failed, PostgreSQL answers the commit with ROLLBACK but
 * without an error. Then an error is thrown here, so that no caller believes the work to be committed.
 */
export const beginPostgres = {
  begin,
  send: async (pool: Knex, connection: object, sql: string): Promise<void> => {
    const text = sql === begin ? sql + (pooled.get(connection) ?? '') : sql
    const client = connection as PostgresConnection
    const { command } = await announced(pool, { sql: text, bindings: [] }, () => answered(client, () => client.query(text)))
    if (sql === endings.commit && command === 'ROLLBACK') {
      throw new Error('the database rolled the transaction back: a statement in it had failed, and its error was ignored')
    }
  },
}

/** Makes a connection that is not part of the pool and for which PostgreSQL has no time limits. The caller has to connect it. */
export const createClient = (url: string): PostgresConnection =>
  new pg.Client({
    connectionString: url,
    application_name: 'gatehouse',
    connectionTimeoutMillis: acquireTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
  })

/** Functions that are called for signals (`pg_notify`). */
export interface Listener {
  /** Called when listening begins, and when it begins again after a failure. Signals that were sent before are lost. */
  onConnected(): void
  onSignal(text: string): void
}

/** Time before a broken connection is replaced. */
const reconnectMs = 1_000

/** Receives signals until `close` is called. A broken connection is replaced, however long that takes. */
export const listenOnPostgres = (url: string, channel: string, listener: Listener): { close(): Promise<void> } => {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const again = (broken: pg.Client) => {
    if (client !== broken || isClosed) return
    client = undefined
    broken.end().catch(() => undefined)
    timer = setTimeout(open, reconnectMs).unref()
  }
  const open = () => {
    const opened = createClient(url)
    client = opened
    opened.on('notification', ({ payload = '' }) => listener.onSignal(payload))
    opened.on('error', () => again(opened))
    opened.on('end', () => again(opened))
    opened
      .connect()
      .then(() => opened.query(`listen ${channel}`))
      .then(() => listener.onConnected())
      .catch(() => again(opened))
  }
  open()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}

/**
 * Settings that a database must have for this program. Each entry has the name of a setting, its allowed values, and a function that
 * describes any other value.
 */
const required: readonly (readonly [name: string, wanted: RegExp, problem: (value: string) => string])[] = [
  [
    'server_encoding',
    /^UTF8$/,
    (value) =>
      `The database is in the encoding ${value}, which has no room for most names. Make one with: createdb --encoding UTF8 --template template0 <name>`,
  ],
  [
    'session_replication_role',
    /^(origin|local)$/,
    (value) =>
      `session_replication_role is ${value} for this user: PostgreSQL then checks no foreign keys. Reset it: alter role <user> reset session_replication_role`,
  ],
]
/** Settings that a database behind a pooler must have in addition. Without a pooler, this program sets them itself. */
const requiredOfPooler: typeof required = [
  [
    'DateStyle',
    /^ISO/,
    (value) => `DateStyle is ${value} on the pooler's connections. Set it: alter role <user> set DateStyle = 'ISO'`,
  ],
  [
    'standard_conforming_strings',
    /^on$/,
    () =>
      "standard_conforming_strings is off on the pooler's connections. Set it: alter role <user> set standard_conforming_strings = on",
  ],
  [
    'default_transaction_isolation',
    /^read committed$/,
    (value) =>
      `default_transaction_isolation is ${value} on the pooler's connections. Set it: alter role <user> set default_transaction_isolation = 'read committed'`,
  ],
]

/** Describes a setting of server, database or role that keeps this program from working, as a sentence. Undefined if there is none. */
export const settingProblem = async (knex: Knex, isPooled: boolean): Promise<string | undefined> => {
  const checked = isPooled ? [...required, ...requiredOfPooler] : required
  const { rows } = await knex.raw<{ rows: { name: string; setting: string }[] }>(
    'select name, setting from pg_settings where name = any(?)',
    [checked.map(([name]) => name)],
  )
  const values = new Map(rows.map(({ name, setting }) => [name, setting]))
  for (const [name, wanted, problem] of checked) {
    const value = values.get(name)
    if (value !== undefined && !wanted.test(value)) return problem(value)
  }
  return undefined
}
