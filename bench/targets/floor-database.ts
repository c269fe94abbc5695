/** The database of the floor. knex makes the tables and writes. Reads are statements that each connection prepares once. */
import knex, { type Knex } from 'knex'
import pg from 'pg'
import sqlite3 from 'sqlite3'

type Columns = 'id' | 'organization_id' | 'user_id' | 'role' | 'created_at' | 'name' | 'email' | 'image' | 'expires_at'
/** The columns that a statement selects. Columns that it does not select are absent. */
type FloorRow = Readonly<Record<Columns, string | number>>

export interface FloorDatabase {
  readonly knex: Knex
  /** Runs a statement with parameters `$1`, `$2` and so on, and returns its rows. */
  read(name: string, sql: string, values: readonly unknown[]): Promise<readonly FloorRow[]>
}

const pragmas = 'PRAGMA busy_timeout=5000;PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON;'

const openSqlite = (filename: string): FloorDatabase => {
  const db = knex({
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: 1,
      afterCreate: (
        connection: { exec(sql: string, done: (error: Error | null) => void): void },
        done: (error: Error | null, connection: unknown) => void,
      ) => connection.exec(pragmas, (error) => done(error, connection)),
    },
  })
  const reader = new sqlite3.Database(filename)
  reader.exec(pragmas)
  const statements = new Map<string, sqlite3.Statement>()
  return {
    knex: db,
    read: (name, sql, values) => {
      const statement = statements.get(name) ?? reader.prepare(sql.replace(/\$\d/g, '?'))
      statements.set(name, statement)
      return new Promise((resolve, reject) =>
        statement.all(values, (error: Error | null, rows: FloorRow[]) => (error === null ? resolve(rows) : reject(error))),
      )
    },
  }
}

const openPostgres = (url: string): FloorDatabase => {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  return {
    knex: knex({ client: 'pg', connection: url, pool: { min: 0, max: 10 } }),
    read: async (name, text, values) => (await pool.query<FloorRow>({ name, text, values: [...values] })).rows,
  }
}

export const openFloorDatabase = (url: string): FloorDatabase =>
  url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url)
