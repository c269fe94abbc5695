import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentOf, runCommand, serveHere, slow } from '../support/binary.ts'
import { createDatabase, dialect, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

test("a command with another master secret than the database's is refused with an explanation", slow, async () => {
  const env = environmentOf(database)
  const daemon = await serveHere(env)
  await daemon.stop()
  const wrong = await runCommand(['serve', '--port', '0', '--json'], {
    ...env,
    GATEHOUSE_SECRET: 'another-secret-0123456789-abcdefghij-KLMNOP',
  })
  expect([wrong.exitCode, wrong.stderr]).toEqual([3, expect.stringContaining('SECRET_DOES_NOT_FIT')])
})

test.runIf(dialect === 'sqlite')('the database file is readable only by its owner', () => {
  expect(statSync(join(database.dataDir, 'gatehouse.db')).mode & 0o077).toBe(0)
})
