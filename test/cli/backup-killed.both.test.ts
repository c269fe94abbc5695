import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertRows } from '../../src/backup/store/rows.ts'
import { openDatabase } from '../../src/core/db/database.ts'
import { type BackupDirectory, backUp, createBackupDirectory, restore } from '../support/backup.ts'
import { environmentOf } from '../support/binary.ts'
import { createMigratedDatabase, dialect, type TestDatabase } from '../support/database.ts'

const root = join(import.meta.dirname, '../..')
const rows = 30_000

let directory: BackupDirectory
let source: TestDatabase
beforeAll(async () => {
  directory = createBackupDirectory()
  source = await createMigratedDatabase()
  const database = openDatabase({ url: source.url, poolMax: 1, synchronous: 'NORMAL' })
  await database.fill(async (tx) => {
    for (let from = 0; from < rows; from += 10_000)
      await insertRows(
        tx,
        'rate_limit',
        ['key', 'count', 'window_start'],
        Array.from({ length: 10_000 }, (_, i) => [`key-${from + i}`, 1, new Date(0)]),
      )
  })
  await database.destroy()
})
afterAll(async () => {
  await source.drop()
  directory.remove()
})

/** Runs a command in its own process and kills it as soon as `isUnderWay`. Returns whether it was killed before its end. */
const killWhen = async (args: readonly string[], database: TestDatabase, isUnderWay: () => boolean | Promise<boolean>) => {
  const env = { PATH: process.env['PATH'] ?? '', ...environmentOf(database) }
  const child = spawn(process.execPath, [join(root, 'bin/gatehouse.js'), ...args], {
    cwd: root,
    env,
    stdio: 'ignore',
    detached: true,
  })
  const ended = once(child, 'exit')
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  await vi.waitFor(
    async () => {
      if (!isOver && !(await isUnderWay())) throw new Error('not under way yet')
    },
    { timeout: 60_000, interval: 2 },
  )
  // Kills the launcher and the Node process that it may have started.
  if (child.pid !== undefined && !isOver) process.kill(-child.pid, 'SIGKILL')
  await ended
}

test('a killed backup leaves no file with the name of a backup, and the next backup is complete', {
  timeout: 240_000,
}, async () => {
  const file = directory.file('killed.jsonl.gz')
  await killWhen(['backup', '--to', file, '--without-keys'], source, () =>
    readdirSync(directory.path).some((name) => name.startsWith('.killed') && name.endsWith('.partial')),
  )
  // The command may have ended before it was killed. Then its file is complete.
  const target = await createMigratedDatabase()
  try {
    if (!existsSync(file)) await backUp(source, file)
    const restored = await restore(target, file)
    expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
  } finally {
    await target.drop()
  }
})

/** Whether a transaction is filling the tables: on SQLite by the log that it writes, on PostgreSQL by the lock that it holds. */
const watchFilling = (target: TestDatabase) => {
  const database = openDatabase({ url: target.url, poolMax: 1, synchronous: 'NORMAL' })
  const held = "select 1 from pg_locks where mode = 'AccessExclusiveLock' and granted and relation = 'rate_limit'::regclass"
  const log = `${target.url.slice('sqlite:'.length)}-wal`
  return {
    isFilling: async () =>
      dialect === 'sqlite'
        ? (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 500_000
        : ((await database.db.knex.raw(held)) as { rows: unknown[] }).rows.length > 0,
    close: () => database.destroy(),
  }
}

test('a killed restore leaves an empty instance, and the same backup can be restored into it', {
  timeout: 240_000,
}, async () => {
  const file = directory.file('good.jsonl.gz')
  await backUp(source, file)
  const target = await createMigratedDatabase()
  try {
    const watch = watchFilling(target)
    await killWhen(['restore', file], target, watch.isFilling)
    await watch.close()
    const again = await restore(target, file)
    // Either nothing or everything was written, because the process may have ended before it was killed.
    if (again.exitCode !== 0) expect(again.stderr).toContain('DATABASE_IS_NOT_EMPTY')
    const database = openDatabase({ url: target.url, poolMax: 1, synchronous: 'NORMAL' })
    const found = await database.db.knex('rate_limit').count({ count: '*' }).first()
    await database.destroy()
    expect(Number(found?.['count'])).toBe(rows)
  } finally {
    await target.drop()
  }
})
