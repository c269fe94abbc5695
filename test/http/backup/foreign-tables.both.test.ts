/** Tables and columns that an administrator has added to the database of gatehouse. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/core/db/database.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type BackupDirectory, backUp, createBackupDirectory, restore } from '../../support/backup.ts'
import { slow } from '../../support/binary.ts'
import {
  createDatabase,
  createMigratedDatabase,
  createSqliteDatabase,
  dialect,
  type TestDatabase,
} from '../../support/database.ts'

/** A table without a key, one with a type that backups do not support, one that refers to people, and added columns. */
const additions: readonly string[] = [
  'create table notes (id int, note text)',
  'create table prices (id int primary key, amount numeric)',
  'create table phones (id int primary key, user_id varchar(32) references "user" (id))',
  ...(dialect === 'postgres' ? ['create table counted (id serial primary key)'] : []),
  'alter table "user" add column crm_id varchar(20)',
  'create view people as select id, email from "user"',
]

let t: TestApp
let directory: BackupDirectory
beforeAll(async () => {
  directory = createBackupDirectory()
  t = await testApp()
  await t.signedIn('ann@example.com')
  for (const sql of additions) await t.app.core.db.knex.raw(sql)
  await t.app.core.db.knex.raw("insert into notes values (1, 'kept')")
})
afterAll(async () => {
  await t.stop()
  directory.remove()
})

const usersOf = async (database: TestDatabase) => {
  const opened = openDatabase({ url: database.url, poolMax: 1, synchronous: 'NORMAL' })
  try {
    return await opened.db.knex('user').pluck('email')
  } finally {
    await opened.destroy()
  }
}

test(
  'a backup leaves out tables and columns that an administrator added, and can be restored into either database',
  slow,
  async () => {
    const file = directory.file('mixed.jsonl.gz')
    const made = await backUp(t.database, file)
    expect([made.exitCode, made.stderr]).toEqual([0, expect.anything()])
    for (const target of [await createDatabase(), await createSqliteDatabase()]) {
      const restored = await restore(target, file)
      expect([restored.exitCode, restored.stderr]).toEqual([0, expect.anything()])
      expect(await usersOf(target)).toEqual(['ann@example.com'])
      await target.drop()
    }
  },
)

test('a restore into a migrated database keeps tables and columns that an administrator added', slow, async () => {
  const file = directory.file('again.jsonl.gz')
  await backUp(t.database, file)
  const target = await createMigratedDatabase()
  const opened = openDatabase({ url: target.url, poolMax: 1, synchronous: 'NORMAL' })
  for (const sql of additions) await opened.db.knex.raw(sql)
  await opened.db.knex.raw("insert into notes values (1, 'kept')")
  await opened.destroy()
  const restored = await restore(target, file)
  expect([restored.exitCode, restored.stderr]).toEqual([0, expect.anything()])
  expect(await usersOf(target)).toEqual(['ann@example.com'])
  await target.drop()
})
