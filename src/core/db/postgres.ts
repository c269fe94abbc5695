import knex, { type Knex } from 'knex'
import pg from 'pg'
import { type Answered, acquireTimeoutMs, type PreparedRead, type RawRow, silent } from './driver.ts'
import { announced, droppingClient, dropUnfit } from './knex-parts.ts'
import { endings } from './transaction.ts'

// bigint columns contain counts and milliseconds, which are all below 2^53.
pg.types.setTypeParser(20, Number)

const readTime = pg.types.getTypeParser(1184)
// Most values in lists are times. This function parses times in UTC with milliseconds, which is how this program writes them, four times
// as fast as the driver.
pg.types.setTypeParser(1184, (text: string) =>
  text.length === 26 && text[4] === '-' && text.endsWith('+00')
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`)
    : readTime(text),
)

/** Assumed, so that knex does not ask each new connection for the version. Only versions before 9.2 would differ. */
const assumedVersion = '12.0'

/** A connection of the pg driver. */
export type PostgresConnection = pg.Client

/**
 * Longest time for an answer. A server that does not answer must not hold requests, which get a 503 within ten seconds (security
 * baseline, section 15).
 */
const answerTimeoutMs = 8_000
const limits = { statement_timeout: answerTimeoutMs, lock_timeout: 5_000, idle_in_transaction_session_timeout: 30_000 }

/**
 * Settings on which statements and answers depend: the format of times and bytes, the syntax of quoted text, the isolation of
 * transactions, and timeouts. Each connection sets them, because the server, the database or the role may have other values. Columns
 * carry their collation themselves (`collation.ts`). All further settings are checked when a node starts (`required`).
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
  // A policy that hides rows would make lists, counts and backups incomplete without an error. With `off` the statement fails.
  row_security: 'off',
  idle_session_timeout: '0',
  transaction_timeout: '0',
}
/** Sets those of the settings that this version of the server has. */
const setSettings = (settings: Readonly<Record<string, string | number>>) => ({
  text: 'select set_config(s.name, v.value, false) from unnest($1::text[], $2::text[]) as v (name, value) join pg_settings s on lower(s.name) = lower(v.name)',
  values: [Object.keys(settings), Object.values(settings).map(String)],
})
const unlimited = Object.fromEntries(Object.keys(limits).map((name) => [name, 0]))

/** The time limits and `row_security` of one transaction. They are sent with its `begin` on connections that cannot keep settings (poolers). */
const settingsOfTransaction = (isUnlimited: boolean): string =>
  Object.entries({ ...(isUnlimited ? unlimited : limits), row_security: sessionSettings.row_security })
    .map(([name, value]) => ` SET LOCAL ${name} = ${value};`)
    .join('')

export interface PostgresOptions {
  readonly url: string
  readonly max: number
  readonly onError: (error: Error) => void
  /** True for one connection without time limits, because building an index may take long. */
  readonly isForMigrations: boolean
  /** True behind a pooler that chooses a connection for each transaction. Nothing may outlive a transaction then. */
  readonly isPooled: boolean
}

/**
 * The connections on which nothing outlives a transaction, not even a prepared statement. The value is the text of the settings that are
 * sent with `begin`.
 */
const pooled = new WeakMap<object, string>()

/** Opens PostgreSQL. */
export const openPostgres = ({ url, max, onError, isForMigrations, isPooled }: PostgresOptions): Knex => {
  const afterBegin = isPooled ? settingsOfTransaction(isForMigrations) : ''
  const connection = {
    connectionString: url,
    application_name: 'gatehouse',
    connectionTimeoutMillis: acquireTimeoutMs,
    keepAlive: true,
    // `begin` is sent with the first statement of a transaction, and `commit` with the last one.
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
        // Sent after the settings of address and role, so that these values win.
        connection.query(setSettings({ ...sessionSettings, ...(isForMigrations ? unlimited : limits) })).then(
          () => done(null, connection),
          (error: Error) => done(error, connection),
        )
      },
    },
  })
}

/** The result of `send`. If the connection is broken, the pool drops it. */
const answered = async <T>(connection: PostgresConnection, send: () => Promise<T>): Promise<T> => {
  try {
    return await send()
  } catch (error) {
    dropUnfit(connection, error)
    throw error
  }
}

/** The texts of prepared statements with numbered parameters (`$1`). */
const numbered = new WeakMap<PreparedRead, string>()
const numberedText = (read: PreparedRead): string => {
  const known = numbered.get(read)
  if (known !== undefined) return known
  let position = 0
  const text = read.sql.replace(/\?/g, () => `$${++position}`)
  numbered.set(read, text)
  return text
}

/** Sends a statement, which the connection prepares once by its name. */
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
 * Sends `begin`, `commit` and `rollback`. If a statement of the transaction has failed, PostgreSQL answers the commit with ROLLBACK and
 * no error. Here that is an error, so that no caller takes lost work for committed work.
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

/** A connection outside of the pool, for which PostgreSQL has no time limits. It is not connected yet. */
export const createClient = (url: string): PostgresConnection =>
  new pg.Client({
    connectionString: url,
    application_name: 'gatehouse',
    connectionTimeoutMillis: acquireTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
  })

/** Receives the signals that `pg_notify` sends. */
export interface Listener {
  /** Called when listening begins again. Signals sent before are lost. */
  onConnected(): void
  onSignal(text: string): void
}

/** Time before a broken connection is opened again. */
const reconnectMs = 1_000

/** Listens until it is closed. Opens a broken connection again, however long that takes. */
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

/** Settings that this program needs in a database: the name, the values that work, and a sentence about any other value. */
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
/** Further settings for a database behind a pooler, where this program cannot set them. */
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

/** Describes, in a sentence, the setting of server, database or role that keeps this program from working, or undefined. */
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
