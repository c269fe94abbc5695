import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { TestProject } from 'vitest/node'
import { migrations } from '../../migrations/index.ts'
import { gatehouse } from '../../src/composition.ts'
import { systemClock } from '../../src/core/clock.ts'
import { readConfig } from '../../src/core/config.ts'
import { openDatabase } from '../../src/core/db/database.ts'
import { migrateUp } from '../../src/core/db/migrate.ts'
import { createLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { scratchDirectory } from './scratch.ts'
import { testSecret } from './secret.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated database that tests copy: the path of a SQLite file, or the name of a PostgreSQL database. */
    template: string
    /** A migrated SQLite file, whatever the database of the project is. */
    sqliteTemplate: string
    /** A migrated database after the first start of an instance with `testSecret`. A first start is ten times the work of a later one. */
    templateWithKeys: string
  }
}

/** Migrates an empty database to the newest schema. */
export const migrateTemplate = async (url: string): Promise<void> => {
  const database = openDatabase({ url, poolMax: 1, synchronous: 'NORMAL' })
  await migrateUp(database, migrations, () => new Date())
  await database.destroy()
}

/**
 * Time without a statement after which the database counts as quiet, in milliseconds. It is shorter than the time between two polls of
 * the jobs.
 */
const quietMs = 500

/** Waits until no statement is sent to the database. If it stopped too early, each copy would only repeat the remaining work. */
const untilQuiet = async ({ knex }: { readonly knex: Knex }): Promise<void> => {
  let last = performance.now()
  const note = () => {
    last = performance.now()
  }
  knex.on('query', note)
  while (performance.now() - last < quietMs) await pause(quietMs / 5)
  knex.off('query', note)
}
/** Starts an instance with `testSecret` for the first time, so that tests need not. It makes signing keys, and its jobs begin their periods. */
export const startOnce = async (url: string): Promise<void> => {
  const dataDir = scratchDirectory('gatehouse-template-')
  const flags = { databaseUrl: url, dataDir, secret: [testSecret], url: 'http://localhost:1', oidc: { rsaModulusLength: 2048 } }
  const read = readConfig(gatehouse.configSchema, { env: {}, flags, file: undefined })
  const app = gatehouse.compose(read.config, { clock: systemClock, random: systemRandom, log: createLog('silent'), read })
  await app.prepare()
  app.jobs.start()
  await untilQuiet(app.core.db)
  await app.jobs.stop()
  await app.database.destroy()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Makes the two SQLite files for the whole run. vitest calls the returned function at the end. */
export default async (project: TestProject) => {
  const directory = scratchDirectory('gatehouse-template-')
  const [file, fileWithKeys] = [join(directory, 'gatehouse.db'), join(directory, 'gatehouse-with-keys.db')]
  await migrateTemplate(`sqlite:${file}`)
  copyFileSync(file, fileWithKeys)
  await startOnce(`sqlite:${fileWithKeys}`)
  project.provide('template', file)
  project.provide('sqliteTemplate', file)
  project.provide('templateWithKeys', fileWithKeys)
  return () => rmSync(directory, { recursive: true, force: true })
}
