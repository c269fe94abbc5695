/** Makes and restores backups in tests with the commands that operators use. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/core/db/database.ts'
import { environmentOf, type Result, runCommand } from './binary.ts'
import type { TestDatabase } from './database.ts'
import { scratchDirectory } from './scratch.ts'

export const passphrase = 'a passphrase for backups'

export interface BackupDirectory {
  readonly path: string
  file(name: string): string
  remove(): void
}

export const createBackupDirectory = (): BackupDirectory => {
  const path = scratchDirectory('gatehouse-backup-')
  return { path, file: (name) => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Makes a backup without the master secret, because the hash of its passphrase takes long. */
export const backUp = async (database: TestDatabase, file: string): Promise<Result> => {
  const result = await runCommand(['backup', '--to', file, '--without-keys', '--json'], environmentOf(database))
  if (result.exitCode !== 0) throw new Error(result.stderr)
  return result
}

export const restore = (database: TestDatabase, file: string, ...flags: readonly string[]): Promise<Result> =>
  runCommand(['restore', file, '--json', ...flags], environmentOf(database))

/** The number of users in a database, which may have no tables. */
export const usersOf = async (database: TestDatabase): Promise<number> => {
  const opened = openDatabase({ url: database.url, poolMax: 1, synchronous: 'NORMAL' })
  try {
    if (!(await opened.db.knex.schema.hasTable('user'))) return 0
    return (await opened.db.knex('user').select('id')).length
  } finally {
    await opened.destroy()
  }
}
