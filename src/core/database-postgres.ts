import { createRequire } from 'node:module'
import knex, { type Knex } from 'knex'
import pg from 'pg'
import { acquireTimeoutMs, type PreparedRead, type RawRow, silent } from './database-driver.ts'

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

/** A connection whose query got no answer is not used again: the answer may still come, to somebody else's question. */
const condemn = (connection: object, error: unknown) => {
  if (/timeout/i.test((error as Error).message)) Object.assign(connection, { __knex__disposed: error })
}

interface Query {
  readonly sql: string
}

const condemningClient = (): typeof Knex.Client => {
  const Client = createRequire(import.meta.url)('knex/lib/dialects/postgres/index.js')
  return class extends Client {
    async _query(connection: object, query: Query) {
      try {
        return await super._query(connection, query)
      } catch (error) {
        condemn(connection, error)
        throw error
      }
    }
  } as unknown as typeof Knex.Client
}

/** Opens PostgreSQL. `isForMigrations`: one connection without time limits, since building an index may take its time. */
export const openPostgres = (url: string, max: number, onError: (error: Error) => void, isForMigrations: boolean): Knex =>
  knex({
    client: condemningClient(),
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
  { name, sql, isPlannedAnew = false }: PreparedRead,
  values: readonly unknown[],
) => {
  let position = 0
  const text = sql.replace(/\?/g, () => `$${++position}`)
  try {
    const { rows } = await connection.query<RawRow>({ ...(isPlannedAnew ? {} : { name }), text, values: [...values] })
    return rows
  } catch (error) {
    condemn(connection, error)
    throw error
  }
}
