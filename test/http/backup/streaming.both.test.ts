import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBackup } from '../../../src/backup/file/read.ts'
import { insertRows, readRows } from '../../../src/backup/store/rows.ts'
import { describeTables } from '../../../src/backup/store/schema.ts'
import { filledByMigrations } from '../../../src/backup/store/target.ts'
import { type Database, openDatabase } from '../../../src/core/db/database.ts'
import { type BackupDirectory, backUp, createBackupDirectory, restore } from '../../support/backup.ts'
import { createMigratedDatabase, type TestDatabase } from '../../support/database.ts'

let place: TestDatabase
let database: Database
let directory: BackupDirectory
beforeAll(async () => {
  directory = createBackupDirectory()
  place = await createMigratedDatabase()
  database = openDatabase({ url: place.url, poolMax: 2, synchronous: 'NORMAL' })
})
afterAll(async () => {
  await database.destroy()
  await place.drop()
  directory.remove()
})

test('every table of the schema can be backed up: its columns have a portable form and its rows have an order', async () => {
  const tables = await describeTables(database.db)
  expect(tables.length).toBeGreaterThan(30)
  expect(tables.map(({ name }) => name)).not.toContain('schema_migration')
  // Keys of several columns are in their order.
  expect(tables.find(({ name }) => name === 'member_role')?.key).toEqual(['organization_id', 'role', 'user_id'])
  expect(tables.find(({ name }) => name === 'event')?.columns).toContainEqual({ name: 'occurred_at', kind: 'time' })
})

test('migrations fill only tables that a restore replaces', async () => {
  const filled: string[] = []
  for (const { name } of await describeTables(database.db))
    if ((await database.db.knex(name).first()) !== undefined) filled.push(name)
  expect(filled).toEqual(filledByMigrations)
})

const many = 6_000

test('a table of many batches is backed up and restored completely, one batch at a time', { timeout: 300_000 }, async () => {
  const columns = ['key', 'count', 'window_start']
  await database.fill(async (tx) => {
    await insertRows(
      tx,
      'rate_limit',
      columns,
      Array.from({ length: many }, (_, i) => [`key-${i}`, i % 1000, new Date(i)]),
    )
  })
  const table = (await describeTables(database.db)).find(({ name }) => name === 'rate_limit')
  if (table === undefined) throw new Error('no such table')

  // Batches are read on demand: the next one is read only when it is requested.
  let reads = 0
  database.db.knex.on('query', () => {
    reads += 1
  })
  const batches = readRows(database.db, table)
  const first = await batches.next()
  const second = await batches.next()
  expect([first.value?.length, second.value?.length, reads]).toEqual([500, 500, 2])
  await batches.return(undefined)

  const file = directory.file('big.jsonl.gz')
  await backUp(place, file)
  let largest = 0
  let rows = 0
  let isTable = false
  const content = await readBackup(file, {
    table: async (start) => {
      isTable = start.table === 'rate_limit'
    },
    rows: async (batch) => {
      largest = Math.max(largest, batch.length)
      if (isTable) rows += batch.length
    },
  })
  expect(largest).toBeLessThanOrEqual(500)
  expect(rows).toBe(many)
  const target = await createMigratedDatabase()
  try {
    const restored = await restore(target, file)
    expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
    const copy = directory.file('copy.jsonl.gz')
    await backUp(target, copy)
    const hashOf = ({ tables }: typeof content) => tables.find((one) => one.table === 'rate_limit')?.sha256
    expect(hashOf(await readBackup(copy))).toBe(hashOf(content))
  } finally {
    await target.drop()
  }
})
