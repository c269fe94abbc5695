import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrations } from '../../migrations/index.ts'
import { openDatabase } from '../../src/core/db/database.ts'
import { migrateUp } from '../../src/core/db/migrate.ts'
import { scratchDirectory } from './scratch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated database that tests copy: the path of a SQLite file, or the name of a PostgreSQL database. */
    template: string
  }
}

/** Brings an empty database to the newest schema. */
export const migrateTemplate = async (url: string): Promise<void> => {
  const database = openDatabase({ url, poolMax: 1, synchronous: 'NORMAL' })
  await migrateUp(database, migrations, () => new Date())
  await database.destroy()
}

/** SQLite: one file for the whole run; vitest calls the returned function at the end. */
export default async (project: TestProject) => {
  const directory = scratchDirectory('gatehouse-template-')
  const file = join(directory, 'gatehouse.db')
  await migrateTemplate(`sqlite:${file}`)
  project.provide('template', file)
  return () => rmSync(directory, { recursive: true, force: true })
}
