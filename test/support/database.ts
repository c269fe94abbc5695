import { randomBytes } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { expect, inject, onTestFinished } from 'vitest'
import { scratchDirectory } from './scratch.ts'

/** The database on which the files of this project run. */
export const dialect = process.env['GATEHOUSE_TEST_DB'] === 'postgres' ? 'postgres' : 'sqlite'

/** Set by the project whose files reach PostgreSQL through PgBouncer in transaction mode. */
const pooler = process.env['GATEHOUSE_TEST_POOLER'] === 'transaction' ? 'transaction' : 'none'

/** True if PostgreSQL is reached through PgBouncer in transaction mode. */
export const isPooled = pooler === 'transaction'

/** True if nodes wake each other at once. PgBouncer does not forward notifications. */
export const hasSignals = dialect === 'postgres' && pooler === 'none'

export interface TestDatabase {
  readonly url: string
  /** The value of `database.pooler` in the configuration. */
  readonly pooler: 'none' | 'transaction'
  /** The data directory of this database alone. */
  readonly dataDir: string
  drop(): Promise<void>
}

/** A connection as the superuser. Test files in the same process share the connection. */
let server: Knex | undefined

/** Runs a statement on the server, outside of the test's database. */
const onServer = async (sql: string): Promise<void> => {
  server ??= knex({ client: 'pg', connection: inject('pgUrl'), pool: { min: 0, max: 2 } })
  await server.raw(sql)
}

const create = async (template: string | undefined, kind = dialect): Promise<TestDatabase> => {
  const dataDir = scratchDirectory('gatehouse-test-')
  const removeFiles = () => rmSync(dataDir, { recursive: true, force: true })
  if (kind === 'sqlite') {
    const file = join(dataDir, 'gatehouse.db')
    if (template !== undefined) copyFileSync(template, file)
    return { url: `sqlite:${file}`, pooler: 'none', dataDir, drop: async () => removeFiles() }
  }
  const name = `test_${randomBytes(8).toString('hex')}`
  // PostgreSQL copies the files of the template unchanged. Writing them through its log would be three times the work.
  await onServer(`create database ${name}${template === undefined ? '' : ` template ${template} strategy file_copy`}`)
  const url = new URL(inject(pooler === 'none' ? 'pgUrl' : 'poolerUrl'))
  url.pathname = `/${name}`
  return {
    url: url.href,
    pooler,
    dataDir,
    drop: async () => {
      await onServer(`drop database ${name} with (force)`)
      removeFiles()
    },
  }
}

/** Makes an empty database: a SQLite file, or a database in PostgreSQL. */
export const createDatabase = (): Promise<TestDatabase> => create(undefined)

/** Makes a database with all tables. It is a copy of a database that was migrated once for the whole run. */
export const createMigratedDatabase = (): Promise<TestDatabase> => create(inject('template'))

/** Makes a database with all tables and signing keys, as it is after the first start of an instance with `testSecret`. */
export const createDatabaseWithKeys = (): Promise<TestDatabase> => create(inject('templateWithKeys'))

/** Makes an empty SQLite file, whatever the database of the project is. For moves between the two databases. */
export const createSqliteDatabase = (): Promise<TestDatabase> => create(undefined, 'sqlite')

/**
 * Shortens how long requests of this node wait for a connection, which is five seconds, until the end of the test. Returns a function that ends that
 * earlier, for requests that have to get one.
 */
export const waitBriefly = ({ knex }: { readonly knex: Knex }, ms: number): (() => void) => {
  const { pool } = knex.client
  expect(pool.acquireTimeoutMillis).toBe(5_000)
  pool.acquireTimeoutMillis = ms
  const waitAgain = () => {
    pool.acquireTimeoutMillis = 5_000
  }
  onTestFinished(waitAgain)
  return waitAgain
}
