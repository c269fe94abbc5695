import knex, { type Knex } from 'knex'
import pg from 'pg'
import { acquireTimeoutMs, type PreparedRead, type RawRow, silent } from './driver.ts'
import { dropAfterTimeout, droppingClient } from './knex-parts.ts'

// bigint columns hold counts and milliseconds, all below 2^53.
pg.types.setTypeParser(20, Number)

const readTime = pg.types.getTypeParser(1184)
// A list is mostly times: those in UTC with milliseconds, as they are written here, are read four times as fast as the driver does.
pg.types.setTypeParser(1184, (text: string) =>
  text.length === 26 && text[4] === '-' && text.endsWith('+00')
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`)
    : readTime(text),
)

/** A connection of the pg driver. */
export type PostgresConnection = pg.Client

/** A server that does not answer must not keep requests waiting: they get a 503 within ten seconds (security baseline, section 15). */
const answerTimeoutMs = 8_000
const limits = {
  query_timeout: answerTimeoutMs,
  statement_timeout: answerTimeoutMs,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 30_000,
}

/** Opens PostgreSQL. `isForMigrations`: one connection without time limits, since building an index may take its time. */
export const openPostgres = (url: string, max: number, onError: (error: Error) => void, isForMigrations: boolean): Knex =>
  knex({
    client: droppingClient(),
    log: silent,
    compileSqlOnError: false,
    connection: {
      connectionString: url,
      application_name: 'gatehouse',
      connectionTimeoutMillis: acquireTimeoutMs,
      keepAlive: true,
      ...(isForMigrations ? {} : limits),
    },
    acquireConnectionTimeout: acquireTimeoutMs,
    pool: {
      min: 0,
      max: isForMigrations ? 1 : max,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        connection.on('error', onError)
        done(null, connection)
      },
    },
  })

export const readPostgres = async (
  connection: PostgresConnection,
  { name, sql, hasPlanCacheDisabled = false }: PreparedRead,
  values: readonly unknown[],
) => {
  let position = 0
  const text = sql.replace(/\?/g, () => `$${++position}`)
  try {
    const { rows } = await connection.query<RawRow>({ ...(hasPlanCacheDisabled ? {} : { name }), text, values: [...values] })
    return rows
  } catch (error) {
    dropAfterTimeout(connection, error)
    throw error
  }
}

/** Receives what `pg_notify` sends. */
export interface Listener {
  /** Called each time listening begins: what was sent before is lost. */
  onConnected(): void
  onSignal(text: string): void
}

/** Wait before a broken connection is opened again. */
const reconnectMs = 1_000

/** Listens until it is closed. A connection that breaks is opened again for as long as it takes; behind a pooler that keeps no sessions it receives nothing. */
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
    const opened = new pg.Client({
      connectionString: url,
      application_name: 'gatehouse',
      connectionTimeoutMillis: acquireTimeoutMs,
      query_timeout: answerTimeoutMs,
      keepAlive: true,
    })
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
