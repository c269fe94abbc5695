/** A restore whose file or database changes before it writes. */
import { copyFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { readBackup } from '../../../src/backup/file/read.ts'
import { createRestore } from '../../../src/backup/restore.ts'
import { type Database, openDatabase } from '../../../src/core/db/database.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type BackupDirectory, createBackupDirectory } from '../../support/backup.ts'
import { createMigratedDatabase, type TestDatabase } from '../../support/database.ts'

const system = systemPrincipal('test')
let t: TestApp
let directory: BackupDirectory
let target: TestDatabase
let database: Database
beforeAll(async () => {
  directory = createBackupDirectory()
  t = await testApp()
  await t.signedIn('ann@example.com')
})
beforeEach(async () => {
  target = await createMigratedDatabase()
  database = openDatabase({ url: target.url, poolMax: 2, synchronous: 'NORMAL', pooler: target.pooler })
})
afterEach(async () => {
  await database.destroy()
  await target.drop()
})
afterAll(async () => {
  await t.stop()
  directory.remove()
})

const backUp = async (name: string) =>
  (await t.app.backups.make(system, { to: directory.file(name), passphrase: undefined })).file
const emails = (): Promise<string[]> => database.db.knex('user').orderBy('email').pluck('email')

/** Restores a verified file, and runs `work` between the check that the database is empty and the first write. */
const restoreWhile = async (file: string, meanwhile: () => Promise<unknown>) => {
  const fill: Database['fill'] = async (work) => {
    await meanwhile()
    return database.fill(work)
  }
  const { clock, events } = t.app.core
  const restore = createRestore({
    clock,
    events,
    migrations,
    database: { ...database, fill },
    restoreSteps: () => [],
    access: () => ({}),
    comingBack: () => [],
  })
  const content = await readBackup(file)
  return restore(system, { file, content, isQueueHeld: true, isAccessKept: true, beforeCommit: () => Promise.resolve() })
}

test('a backup file that is replaced by another valid backup after its verification is not restored', async () => {
  const verified = await backUp('verified.jsonl.gz')
  await t.signedIn('mallory@example.com')
  const other = await backUp('other.jsonl.gz')
  const restoring = restoreWhile(verified, async () => copyFileSync(other, verified))
  await expect(restoring).rejects.toMatchObject({
    code: 'BACKUP_DAMAGED',
    message: expect.stringContaining('was replaced while it was being restored'),
  })
  expect(await emails()).toEqual([])
})

test('a restore into a database that gets its first data after it was found empty is refused', async () => {
  const file = await backUp('good.jsonl.gz')
  const bob = { name: 'Bob', email: 'bob@example.com', emailVerified: false }
  const restoring = restoreWhile(file, () => database.transact((tx) => t.app.users.create(tx, system, bob)))
  await expect(restoring).rejects.toMatchObject({ code: 'DATABASE_IS_NOT_EMPTY' })
  expect(await emails()).toEqual(['bob@example.com'])
})

test('a backup is restored into a database without any data', async () => {
  await restoreWhile(await backUp('again.jsonl.gz'), () => Promise.resolve())
  expect(await emails()).toContain('ann@example.com')
})
