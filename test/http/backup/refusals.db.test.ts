import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { readBackup } from '../../../src/backup/file/read.ts'
import { encodeTrailer, trailerLength } from '../../../src/backup/file/trailer.ts'
import { createBackupWriter } from '../../../src/backup/write.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { createSecrets, sha256 } from '../../../src/core/crypto.ts'
import { openDatabase } from '../../../src/core/db/database.ts'
import { migrateDown, migrationStatus } from '../../../src/core/db/migrate.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type BackupDirectory, backUp, createBackupDirectory, passphrase, restore, usersOf } from '../../support/backup.ts'
import { environmentOf, runCommand, slow } from '../../support/binary.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import {
  createDatabase,
  createMigratedDatabase,
  createSqliteDatabase,
  dialect,
  type TestDatabase,
} from '../../support/database.ts'

const otherSecret = 'another-secret-0123456789-abcdefghij-KLMNOP'

let t: TestApp
let directory: BackupDirectory
let good: string
let target: TestDatabase
beforeAll(async () => {
  directory = createBackupDirectory()
  t = await testApp()
  await t.signedIn('ann@example.com')
  good = directory.file('good.jsonl.gz')
  await backUp(t.database, good)
})
afterAll(async () => {
  await t.stop()
  directory.remove()
})
beforeEach(async () => {
  target = await createDatabase()
})
afterEach(() => target.drop())

const changed = (name: string, change: (bytes: Buffer) => Buffer): string => {
  const file = directory.file(name)
  writeFileSync(file, change(readFileSync(good)))
  return file
}

const flip =
  (at: number, bit = 0) =>
  (bytes: Buffer) => {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
    return bytes
  }

test('a backup truncated at any position is refused before anything is written', slow, async () => {
  const { size } = statSync(good)
  for (const left of [0, 1, 9, 100, Math.floor(size / 2), size - 200, size - 1]) {
    const file = directory.file('cut.jsonl.gz')
    copyFileSync(good, file)
    truncateSync(file, left)
    await expect(readBackup(file), `${left} bytes`).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' })
  }
  const refused = await restore(target, directory.file('cut.jsonl.gz'))
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('BACKUP_DAMAGED')])
  expect(await usersOf(target)).toBe(0)
})

test('a backup with one changed bit at any position is refused', slow, async () => {
  const { size } = statSync(good)
  const step = Math.max(1, Math.floor(size / 97))
  const places = [
    ...Array.from({ length: 97 }, (_, i) => i * step),
    ...Array.from({ length: 240 }, (_, i) => size - 1 - i),
    3,
    4,
    8,
    9,
  ]
  for (const at of places.filter((place) => place >= 0 && place < size))
    await expect(readBackup(changed('flipped.jsonl.gz', flip(at, at % 8))), `byte ${at}`).rejects.toMatchObject({
      code: 'BACKUP_DAMAGED',
    })
  const longer = changed('longer.jsonl.gz', (bytes) => Buffer.concat([bytes, Buffer.from([0])]))
  await expect(readBackup(longer)).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' })
  const refused = await restore(target, changed('flipped.jsonl.gz', flip(Math.floor(size / 2))))
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('BACKUP_DAMAGED')])
  expect(await usersOf(target)).toBe(0)
})

test('a missing backup file, a file that is no backup, and another version of the format are refused with a message', async () => {
  for (const [name, content, code] of [
    ['text', Buffer.from('hello\n'.repeat(200)), 'BACKUP_DAMAGED'],
    ['empty', Buffer.alloc(0), 'BACKUP_DAMAGED'],
    ['gzip', gzipSync(`{"a":1}\n${'x'.repeat(2000)}\n`), 'BACKUP_DAMAGED'],
    ['newer', gzipSync(`{"gatehouseBackup":2,"gatehouse":"9.0.0","more":true}\n`), 'BACKUP_NOT_SUPPORTED'],
  ] as const) {
    const file = directory.file(name)
    writeFileSync(file, content)
    await expect(readBackup(file), name).rejects.toMatchObject({ code })
  }
  await expect(readBackup(directory.file('newer'))).rejects.toThrow('made by gatehouse 9.0.0')
  await expect(readBackup(directory.file('missing'))).rejects.toMatchObject({ code: 'BACKUP_NOT_FOUND' })
  await expect(readBackup(directory.path)).rejects.toMatchObject({ code: 'BACKUP_NOT_FOUND' })
})

test('a restore with a wrong master secret is refused before anything is written, and the message names the secret', async () => {
  const env = { ...environmentOf(target), GATEHOUSE_SECRET: otherSecret }
  const refused = await runCommand(['restore', good], env)
  const [id] = createSecrets([otherSecret], systemRandom).ids
  const { header } = await readBackup(good)
  expect(refused.exitCode).toBe(3)
  expect(refused.stderr).toContain('MASTER_SECRET_DOES_NOT_FIT')
  expect(refused.stderr).toContain(`it needs the master secret ${header.secretIds[0]}, and the configured ones are ${id}`)
  expect(await usersOf(target)).toBe(0)
  const added = await runCommand(['restore', good], {
    ...env,
    GATEHOUSE_SECRET: `${otherSecret},${environmentOf(target)['GATEHOUSE_SECRET']}`,
  })
  expect([added.exitCode, added.stderr]).toEqual([0, ''])
})

test('a backup written without the master secret is refused, whatever the backup contains', async () => {
  const bytes = readFileSync(good)
  const body = bytes.subarray(0, -trailerLength)
  // An attacker adds an administrator to the rows and recomputes every hash, so that only the signature is wrong.
  const lines = gunzipSync(body).toString('utf8').replaceAll('ann@example.com', 'eve@example.com').split('\n')
  const tables = new Map<string, number>()
  for (const [i, line] of lines.entries())
    if (line.startsWith('{"table":')) tables.set((JSON.parse(line) as { table: string }).table, i)
  for (const [name, from] of tables) {
    const end = lines.findIndex((line, i) => i > from && line.startsWith('{"end":'))
    const text = lines.slice(from + 1, end).map((line) => `${line}\n`)
    lines[end] = JSON.stringify({ end: name, rows: text.length, sha256: sha256(text.join('')) })
  }
  const forged = gzipSync(lines.join('\n'))
  const mac = createSecrets([otherSecret], systemRandom).sign('backup', sha256(forged))
  const file = directory.file('forged.jsonl.gz')
  writeFileSync(file, Buffer.concat([forged, encodeTrailer({ gatehouseBackupEnd: 1, sha256: sha256(forged), mac })]))
  expect((await readBackup(file)).total.rows).toBeGreaterThan(0)
  const refused = await restore(target, file)
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('has not signed this file')])
  expect(await usersOf(target)).toBe(0)
})

/** A backup with the master secret, encrypted with the passphrase. */
const withKeys = async (): Promise<string> => {
  const file = directory.file('with-keys.jsonl.gz')
  // A backup does not replace a file.
  rmSync(file, { force: true })
  const made = await runCommand(
    ['backup', '--to', file, '--passphrase-stdin', '--json'],
    environmentOf(t.database),
    `${passphrase}\n`,
  )
  expect(made.json()).toMatchObject({ hasKeys: true })
  expect(readFileSync(file).includes(environmentOf(target)['GATEHOUSE_SECRET'] ?? 'none')).toBe(false)
  return file
}

test('the master secret in a backup is restored only with the right passphrase', slow, async () => {
  const file = await withKeys()
  const sqlite = await createSqliteDatabase()
  try {
    const { GATEHOUSE_SECRET: secret = '', ...env } = environmentOf(sqlite)
    const wrong = await runCommand(['restore', file, '--passphrase-stdin'], env, `${passphrase}!\n`)
    expect([wrong.exitCode, wrong.stderr]).toEqual([3, expect.stringContaining('WRONG_PASSPHRASE')])
    expect(readdirSync(sqlite.dataDir)).toEqual([])
    const without = await runCommand(['restore', file, '--without-keys'], env)
    expect([without.exitCode, without.stderr]).toEqual([3, expect.stringContaining('no master secret is configured')])
    // A data directory used by an empty instance, whose secret file stays.
    await runCommand(['migrate'], env)
    const own = readFileSync(`${sqlite.dataDir}/secret`, 'utf8')
    const restored = await runCommand(['restore', file], { ...env, GATEHOUSE_BACKUP_PASSPHRASE: passphrase })
    expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
    expect(readFileSync(`${sqlite.dataDir}/secret`, 'utf8').trim()).toBe(secret)
    expect(statSync(`${sqlite.dataDir}/secret`).mode & 0o777).toBe(0o600)
    const [kept = ''] = readdirSync(sqlite.dataDir).filter((name) => name.startsWith('secret.before-restore-'))
    expect(readFileSync(`${sqlite.dataDir}/${kept}`, 'utf8')).toBe(own)
    expect(await usersOf(sqlite)).toBe(1)
    const list = await runCommand(['list-audit', '--type', 'instance.restored', '--json'], env)
    expect(list.exitCode).toBe(0)
  } finally {
    await sqlite.drop()
  }
})

testOnBoth.runIf(dialect === 'postgres')(
  'the master secret in a backup is restored into PostgreSQL only with a file to write it to',
  slow,
  async () => {
    const file = await withKeys()
    const { GATEHOUSE_SECRET: secret, ...env } = environmentOf(target)
    const nowhere = await runCommand(['restore', file, '--passphrase-stdin'], env, `${passphrase}\n`)
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([3, expect.stringContaining('--secret-to')])
    const secretTo = directory.file('secret')
    const restored = await runCommand(['restore', file, '--passphrase-stdin', '--secret-to', secretTo], env, `${passphrase}\n`)
    expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
    expect(readFileSync(secretTo, 'utf8').trim()).toBe(secret)
    const found = await runCommand(['doctor', '--json'], { ...env, GATEHOUSE_SECRET_FILE: secretTo })
    expect(found.json()).toContainEqual({ check: 'master-secret', severity: 'ok', message: '', remedy: null })
  },
)

testOnBoth('a restore into a database in use is refused, and into a database that was only migrated it succeeds', async () => {
  const migrated = await createMigratedDatabase()
  try {
    expect((await restore(migrated, good)).exitCode).toBe(0)
    const again = await restore(migrated, good)
    expect([again.exitCode, again.stderr]).toEqual([3, expect.stringContaining('DATABASE_IS_NOT_EMPTY')])
    expect(await usersOf(migrated)).toBe(1)
  } finally {
    await migrated.drop()
  }
})

testOnBoth('a restore into a database with foreign tables is refused', async () => {
  const opened = openDatabase({ url: target.url, poolMax: 1, synchronous: 'NORMAL' })
  await opened.db.knex.schema.createTable('orders', (table) => void table.string('id').primary())
  await opened.destroy()
  const refused = await restore(target, good)
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('orders')])
})

/** Writes a backup of a database as it is, without the commands, which need the present schema. */
const writeRaw = async (database: TestDatabase, file: string, list: typeof migrations) => {
  const opened = openDatabase({ url: database.url, poolMax: 1, synchronous: 'NORMAL' })
  const secret = environmentOf(database)['GATEHOUSE_SECRET'] ?? ''
  try {
    const write = createBackupWriter({
      settings: () => [],
      ...{ clock: systemClock, random: systemRandom, secrets: createSecrets([secret], systemRandom), url: 'http://localhost' },
      ...{ database: opened, migrations: list, sealedColumns: [], version: '0.0.0', masterSecrets: () => [secret] },
    })
    await write({ to: file, passphrase: undefined })
  } finally {
    await opened.destroy()
  }
}

testOnBoth('a backup of a newer schema is refused with a message', async () => {
  const source = await createMigratedDatabase()
  const opened = openDatabase({ url: source.url, poolMax: 1, synchronous: 'NORMAL' })
  await opened.db.knex('schema_migration').insert({ name: '209912312359_future', done_at: new Date() })
  await opened.destroy()
  const file = directory.file('future.jsonl.gz')
  const up = async () => undefined
  await writeRaw(source, file, { ...migrations, '209912312359_future': { up, down: up } })
  await source.drop()
  const refused = await restore(target, file)
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('209912312359_future')])
  expect(refused.stderr).toContain('BACKUP_NOT_SUPPORTED')
  expect(await usersOf(target)).toBe(0)
})

testOnBoth(
  'a backup of an older schema is restored and then migrated, even into a database that is already migrated',
  slow,
  async () => {
    const source = await createMigratedDatabase()
    const opened = openDatabase({ url: source.url, poolMax: 1, synchronous: 'NORMAL' })
    const undone = await migrateDown(opened, migrations)
    const now = new Date()
    await opened.db.knex('user').insert({
      ...{ id: 'u1', name: 'Ann', email: 'ann@example.com', email_verified: true, email_ever_verified: true, email_version: 0 },
      ...{ role: 'admin', created_at: now, updated_at: now },
    })
    await opened.destroy()
    const file = directory.file('older.jsonl.gz')
    await writeRaw(source, file, migrations)
    await source.drop()
    const migrated = await createMigratedDatabase()
    for (const database of [target, migrated]) {
      const restored = await restore(database, file)
      expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
      expect(restored.json()).toMatchObject({ migrated: [undone], rows: expect.any(Number) })
      const filled = openDatabase({ url: database.url, poolMax: 1, synchronous: 'NORMAL' })
      expect((await migrationStatus(filled, migrations)).pending).toEqual([])
      await filled.destroy()
      expect(await usersOf(database)).toBe(1)
    }
    await migrated.drop()
  },
)

test('a backup file is readable only by its owner, replaces no file, and is not left after a failure', async () => {
  expect(statSync(good).mode & 0o777).toBe(0o600)
  const run = (...args: string[]) => runCommand(['backup', '--without-keys', ...args], environmentOf(t.database))
  const before = readFileSync(good)
  const exists = await run('--to', good)
  expect([exists.exitCode, exists.stderr]).toEqual([3, expect.stringContaining('BACKUP_FILE_EXISTS')])
  expect(readFileSync(good).equals(before)).toBe(true)
  const nowhere = await run('--to', directory.file('none/backup.jsonl.gz'))
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([3, expect.stringContaining('the directory does not exist')])
  expect(nowhere.stderr).toContain('BACKUP_NOT_WRITTEN')
  const unset = await run()
  expect([unset.exitCode, unset.stderr]).toEqual([3, expect.stringContaining('BACKUPS_ARE_NOT_CONFIGURED')])
  const short = await runCommand(
    ['backup', '--passphrase-stdin', '--to', directory.file('x')],
    environmentOf(t.database),
    'short\n',
  )
  expect([short.exitCode, short.stderr]).toEqual([2, expect.stringContaining('at least 12 characters')])
  expect(existsSync(directory.file('x'))).toBe(false)
  expect(readdirSync(directory.path).filter((name) => name.endsWith('.partial'))).toEqual([])
  const inDirectory = await run('--to', directory.path, '--json')
  expect(inDirectory.json()).toMatchObject({ file: expect.stringMatching(/\/gatehouse-\d{8}T\d{6}Z-\w{6}\.jsonl\.gz$/) })
})
