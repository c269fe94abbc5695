import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { openDatabase } from '../../src/core/db/database.ts'
import { migrateDown, migrateUp } from '../../src/core/db/migrate.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const names = Object.keys(migrations)
const last = names.at(-1)

let database: TestDatabase
let env: Environment
const run = (...args: readonly string[]) => runCommand(['migrate', ...args], env)
const takeBack = () => run('--down', '--yes')

beforeAll(async () => {
  database = await createDatabase()
  env = environmentOf(database)
})
afterAll(() => database.drop())

test('migrate shows, runs and undoes migrations, and a second run changes nothing', slow, async () => {
  expect((await run('--dry-run', '--json')).json()).toEqual({ pending: names })
  expect((await run('--status', '--json')).json()).toEqual({ done: [], pending: names })
  expect((await run('--json')).json()).toEqual({ done: names })
  expect((await run('--json')).json()).toEqual({ done: [] })
  expect(await runCommand(['migrate'], env)).toMatchObject({ exitCode: 0, stdout: 'The database is up to date.\n' })
  expect((await run('--status')).stdout.split('\n')[1]).toMatch(new RegExp(`^${names[0]} +done$`))
  const unasked = await run('--down')
  expect([unasked.exitCode, unasked.stdout, unasked.stderr]).toEqual([2, '', expect.stringContaining('--yes')])
  expect(unasked.stderr).toContain(`This undoes ${last}. Permanently lost data: `)
  expect((await run('--down', '--yes', '--json')).json()).toEqual({ undone: last, lost: expect.any(Array) })
  expect((await run('--status', '--json')).json()).toEqual({ done: names.slice(0, -1), pending: [last] })
  expect((await run('--dry-run')).stdout).toContain(last)
  expect((await run('--json')).json()).toEqual({ done: [last] })
})

test('migrate refuses a database made before the first release, with a remedy', slow, async () => {
  const early = await createDatabase()
  const opened = openDatabase({ url: early.url, poolMax: 1, synchronous: 'NORMAL' })
  await migrateUp(opened, { '202611210100_users': { up: async () => undefined } }, () => new Date())
  await opened.destroy()
  for (const args of [['migrate'], ['migrate', '--status'], ['migrate', '--down', '--yes'], ['serve']]) {
    const { exitCode, stderr } = await runCommand(args, environmentOf(early))
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/202611210100_users.*Set GATEHOUSE_DATABASE_URL to an empty database.*run migrate/)
  }
  await early.drop()
})

test('several migrate commands at once run each migration once', slow, async () => {
  // All but the last command run in this process, because starting the program takes time.
  const opened = openDatabase({ ...database, poolMax: 2, synchronous: 'NORMAL' })
  for (const _ of names.slice(1)) await migrateDown(opened, migrations)
  await opened.destroy()
  expect((await takeBack()).stdout).toContain('table user with 0 rows')
  expect((await takeBack()).stdout).toBe('Nothing to take back.\n')
  const runs = await Promise.all([run('--json'), run('--json'), run('--json')])
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  expect(runs.flatMap((one) => (one.json() as { done: string[] }).done).sort()).toEqual(names)
})
