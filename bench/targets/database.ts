/** Direct access to the database of a server, for rows that would take hours to insert by calls. */
import knex, { type Knex } from 'knex'

const isSqlite = (url: string) => url.startsWith('sqlite:')

const connect = (url: string): Knex =>
  isSqlite(url)
    ? knex({
        client: 'sqlite3',
        connection: { filename: url.slice('sqlite:'.length) },
        useNullAsDefault: true,
        pool: {
          min: 1,
          max: 1,
          afterCreate: (
            connection: { exec(sql: string, done: (error: Error | null) => void): void },
            done: (error: Error | null, connection: unknown) => void,
          ) =>
            connection.exec('PRAGMA busy_timeout=5000;PRAGMA synchronous=OFF;PRAGMA cache_size=-200000', (error) =>
              done(error, connection),
            ),
        },
      })
    : knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } })

export const withDatabase = async <T>(url: string, work: (db: Knex) => Promise<T>): Promise<T> => {
  const db = connect(url)
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Largest number of rows in one statement. SQLite accepts at most 500 in the form that knex writes. */
const rowsAtOnce = 400

/** Inserts rows of several tables in one transaction, in the given order. */
export const insertAll = (db: Knex, tables: Readonly<Record<string, Rows>>): Promise<void> =>
  db.transaction(async (tx) => {
    for (const [table, rows] of Object.entries(tables))
      for (let at = 0; at < rows.length; at += rowsAtOnce) await tx(table).insert(rows.slice(at, at + rowsAtOnce))
  })

/** Does the maintenance that a database in use has already had. PostgreSQL would otherwise do it by itself, in the middle of a round. */
export const settle = async (db: Knex, url: string): Promise<void> =>
  void (await db.raw(isSqlite(url) ? 'PRAGMA wal_checkpoint(TRUNCATE)' : 'vacuum analyze'))
