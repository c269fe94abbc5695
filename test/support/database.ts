import { randomBytes } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { inject } from 'vitest'
import { scratchDirectory } from './scratch.ts'

/** Which database the files of this project run on. */
export const dialect = process.env['GATEHOUSE_TEST_DB'] === 'postgres' ? 'postgres' : 'sqlite'

/** Set in the project whose files reach PostgreSQL through PgBouncer in transaction mode. */
const pooler = process.env['GATEHOUSE_TEST_POOLER'] === 'transaction' ? 'transaction' : 'none'

/** Whether PostgreSQL is reached through PgBouncer in transaction mode. */
export const isPooled = pooler === 'transaction'

/** Whether nodes wake each other at once: a pooler passes no notifications on. */
export const hasSignals = dialect === 'postgres' && pooler === 'none'

export interface TestDatabase {
  readonly url: string
  /** As in the configuration: `database.pooler`. */
  readonly pooler: 'none' | 'transaction'
  /** A data directory of its own. */
  readonly dataDir: string
  drop(): Promise<void>
}

/** To the superuser: files that share a process share it. */
let server: Knex | undefined

/** A statement on the server itself. */
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
  // Its files are copied as they are: a third of the work of writing them through the log.
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

/** An empty database: a SQLite file or a PostgreSQL database of its own. */
export const createDatabase = (): Promise<TestDatabase> => create(undefined)

/** The same with every table in place: a copy of a database that was migrated once for the whole run. */
export const createMigratedDatabase = (): Promise<TestDatabase> => create(inject('template'))

/** The same with signing keys, as an instance with `testSecret` leaves it after its first start. */
export const createDatabaseWithKeys = (): Promise<TestDatabase> => create(inject('templateWithKeys'))

/** An empty SQLite file, whatever the project's database is: the other side of a move between the two. */
export const createSqliteDatabase = (): Promise<TestDatabase> => create(undefined, 'sqlite')
