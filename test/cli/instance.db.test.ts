import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createDatabase, dialect } from '../support/database.ts'
import { temporaryDirectory } from '../support/directory.ts'

const elsewhere = temporaryDirectory()

const refusalOf = async (args: readonly string[], env: Environment) => {
  const { exitCode, stdout, stderr } = await runCommand([...args, '--json'], env)
  return [exitCode, stdout, JSON.parse(stderr) as unknown]
}

test('a command in a directory without an instance creates none, and says where it looked', slow, async () => {
  const database = await createDatabase()
  const { GATEHOUSE_SECRET: _, ...withoutSecret } = environmentOf(database)
  const dataDir = join(elsewhere, 'data')
  const env = dialect === 'sqlite' ? { GATEHOUSE_DATA_DIR: dataDir } : environmentOf(database)
  const looked = dialect === 'sqlite' ? join(dataDir, 'gatehouse.db') : new URL(database.url).pathname.slice(1)
  for (const args of [['list-orgs'], ['doctor'], ['create-setup-link'], ['create-org', '--name', 'Acme', '--slug', 'acme']])
    expect(await refusalOf(args, env)).toEqual([
      ...[3, ''],
      { code: 'INSTANCE_NOT_FOUND', message: expect.stringContaining(looked) },
    ])
  expect((await runCommand(['migrate', '--status', '--json'], env)).json()).toMatchObject({ done: [] })
  expect(readdirSync(elsewhere)).toEqual([])
  expect((await runCommand(['migrate'], env)).exitCode).toBe(0)
  expect((await runCommand(['list-orgs', '--json'], env)).json()).toEqual([])
  if (dialect === 'sqlite') {
    // An instance whose secret is missing does not get a new one, not even from commands that create instances.
    rmSync(join(dataDir, 'secret'))
    for (const args of [['list-orgs'], ['migrate'], ['serve']])
      expect(await refusalOf(args, env)).toMatchObject([3, '', { code: 'SECRET_NOT_USABLE' }])
    expect(existsSync(join(dataDir, 'secret'))).toBe(false)
  } else expect((await runCommand(['list-orgs'], withoutSecret)).exitCode).toBe(3)
  await database.drop()
})
