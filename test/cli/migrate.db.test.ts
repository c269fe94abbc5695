import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { type Environment, environmentOf, runCommand, slow, spawnCommand } from '../support/binary.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const names = Object.keys(migrations)
const last = names.at(-1)

let database: TestDatabase
let env: Environment
const run = (...args: readonly string[]) => runCommand(['migrate', ...args], env)

beforeAll(async () => {
  database = await createDatabase()
  env = environmentOf(database)
})
afterAll(() => database.drop())

test('migrate shows, runs, repeats harmlessly and takes back', slow, async () => {
  expect((await run('--dry-run', '--json')).json()).toEqual({ pending: names })
  expect((await run('--status', '--json')).json()).toEqual({ done: [], pending: names })
  expect((await run('--json')).json()).toEqual({ done: names })
  expect((await run('--json')).json()).toEqual({ done: [] })
  expect(await spawnCommand(['migrate'], env)).toMatchObject({ exitCode: 0, stdout: 'The database is up to date.\n' })
  expect((await run('--status')).stdout.split('\n')[1]).toMatch(new RegExp(`^${names[0]} +done$`))
  expect((await run('--down', '--json')).json()).toEqual({ undone: last })
  expect((await run('--status', '--json')).json()).toEqual({ done: names.slice(0, -1), pending: [last] })
  expect((await run('--dry-run')).stdout).toContain(last)
  expect((await run('--json')).json()).toEqual({ done: [last] })
})

test('several at once do each migration once', slow, async () => {
  for (const _ of names) await run('--down')
  expect((await run('--down')).stdout).toBe('Nothing to take back.\n')
  const runs = await Promise.all([run('--json'), run('--json'), run('--json')])
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  expect(runs.flatMap((one) => (one.json() as { done: string[] }).done).sort()).toEqual(names)
})
