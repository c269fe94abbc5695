/** Commands on the database of an older version: only `serve` and `migrate` change the schema. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { createProgram } from '../../src/cli/program.ts'
import { openDatabase } from '../../src/core/db/database.ts'
import { migrateDown } from '../../src/core/db/migrate.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createMigratedDatabase } from '../support/database.ts'

/** A database with a person and an organization, whose last migrations are undone. */
const olderBy = async (steps: number) => {
  const database = await createMigratedDatabase()
  const env = environmentOf(database)
  const person = ['create-user', '--email', 'ann@example.com', '--name', 'Ann', '--verified', '--password-stdin']
  expect((await runCommand(person, env, 'a long and uncommon one\n')).exitCode).toBe(0)
  const organization = ['create-org', '--name', 'Acme', '--slug', 'acme', '--owner', 'ann@example.com']
  expect((await runCommand(organization, env)).exitCode).toBe(0)
  const direct = openDatabase({ url: database.url, poolMax: 1, synchronous: 'NORMAL' })
  for (let step = 0; step < steps; step++) expect(await migrateDown(direct, migrations)).toBeDefined()
  await direct.destroy()
  return { database, env }
}
const statusOf = async (env: Environment) => (await runCommand(['migrate', '--status', '--json'], env)).json()
const codeOf = (stderr: string) => (JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { code: string }).code

const isFull = process.env['GATEHOUSE_TEST_FULL'] === '1'
const lists = createProgram()
  .commands.map((command) => command.name())
  .filter((name) => name.startsWith('list-'))

test.each([1, 12])(
  'a reading command does not change a schema that is older by %d migrations, and works or says to migrate',
  slow,
  async (steps) => {
    const { database, env } = await olderBy(steps)
    const before = await statusOf(env)
    let worked = 0
    // The configuration decides before any command: the full test run tries both values with both schemas.
    const onStart = isFull || steps === 1 ? ['true', 'false'] : ['true']
    for (const migrateOnStart of onStart)
      for (const command of [...lists, 'verify-audit', 'explain-sign-in ann@example.com', 'export-audit']) {
        const more = { ...env, GATEHOUSE_DATABASE_MIGRATE_ON_START: migrateOnStart }
        const { exitCode, stderr, stdout } = await runCommand([...command.split(' '), '--json'], more)
        // Some lists require a flag, so they are used wrongly whatever the schema.
        if (exitCode === 2) continue
        if (exitCode !== 0) expect([command, exitCode, codeOf(stderr), stdout]).toEqual([command, 3, 'MIGRATIONS_PENDING', ''])
        else worked += 1
        if (exitCode !== 0) expect(stderr).toContain('gatehouse migrate')
      }
    expect(worked).toBeGreaterThan((lists.length * onStart.length) / 2)
    expect((await runCommand(['list-orgs', '--json'], env)).json()).toMatchObject([{ slug: 'acme' }])
    const doctor = await runCommand(['doctor', '--json'], env)
    expect([doctor.exitCode, doctor.stderr]).toEqual([3, expect.stringContaining('gatehouse migrate')])
    expect(await statusOf(env)).toEqual(before)
    await database.drop()
  },
)

test('a writing command changes neither an older schema nor its data', slow, async () => {
  const { database, env } = await olderBy(1)
  const before = await statusOf(env)
  for (const command of [
    ['create-org', '--name', 'Other', '--slug', 'other'],
    ['create-setup-link'],
    ['create-setup-link', '--reason', 'an upgrade'],
    ['register-client', '--name', 'Shop', '--redirect-uri', 'http://localhost:4000/'],
  ]) {
    const { exitCode, stderr } = await runCommand([...command, '--json'], env)
    expect([command[0], exitCode, codeOf(stderr)]).toEqual([command[0], 3, 'MIGRATIONS_PENDING'])
    expect(stderr).toContain('this command writes')
  }
  expect(await statusOf(env)).toEqual(before)
  expect((await runCommand(['list-orgs', '--json'], env)).json()).toMatchObject([{ slug: 'acme' }])
  expect((await runCommand(['migrate'], env)).exitCode).toBe(0)
  expect((await runCommand(['create-org', '--name', 'Other', '--slug', 'other'], env)).exitCode).toBe(0)
  await database.drop()
})

test('a backup of an older schema can be made before the migration, and restored by the newer version', slow, async () => {
  const { database, env } = await olderBy(2)
  const before = await statusOf(env)
  const file = join(database.dataDir, 'before-upgrade.jsonl.gz')
  const made = await runCommand(['backup', '--without-keys', '--to', file, '--json'], env)
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await statusOf(env)).toEqual(before)
  const fresh = {
    ...env,
    GATEHOUSE_DATABASE_URL: `sqlite:${join(database.dataDir, 'restored.db')}`,
    GATEHOUSE_DATABASE_POOLER: 'none',
  }
  const restored = await runCommand(['restore', file, '--json'], fresh)
  expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
  expect(restored.json()).toMatchObject({ migrated: { length: 2 } })
  expect((await runCommand(['list-orgs', '--json'], fresh)).json()).toMatchObject([{ slug: 'acme' }])
  expect(existsSync(file)).toBe(true)
  await database.drop()
})
