/** The name of a test file and the content of its tests decide where they run. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faultsOf } from '../support/database-rule.ts'

const root = join(import.meta.dirname, '../..')
const onSqlite = "import { test } from 'vitest'\n"

describe('tests that run on both databases', () => {
  // Commands and client libraries behave the same on either database, so they run on SQLite alone, except for tests of the database
  // itself.
  const paths = globSync('test/**/*.{db,both}.test.ts', { cwd: root, exclude: ['test/{cli,conformance}/**/*.db.test.ts'] })

  test('every test file is named, and every test marked, according to the rule for databases', () => {
    expect(paths.length).toBeGreaterThan(200)
    expect(paths.flatMap((path) => faultsOf(path, readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  test.each([
    ['two simultaneous requests', "test('a', async () => { await Promise.all([one(), two()]) })"],
    ['two simultaneous requests and a time limit', "test('a', async () => { await Promise.all([one(), two()]) }, 60_000)"],
    ['a second node', "test('a', async () => { const other = await t.node() })"],
    [
      'a node created for all tests',
      "let other\nbeforeAll(async () => {\n  other = await t.node()\n})\ntest('a', () => ask(other))",
    ],
    ['a function of the file that creates a node', "const race = () => Promise.all([])\ntest('a', () => race())"],
    ['two transactions in a fixed order', "import { overlap } from '../support/overlap.ts'\ntest('a', () => overlap())"],
    ['the plan of a statement', "import { planFaults } from '../support/plans.ts'\ntest.each([1])('a', () => planFaults())"],
    ['a feature of one database', "test.runIf(dialect === 'postgres')('a', () => {})"],
  ])('a test with %s is refused unless it runs on both databases', (_, source) => {
    expect(faultsOf('test/http/a.db.test.ts', onSqlite + source)).toHaveLength(1)
    expect(faultsOf('test/http/a.db.test.ts', onSqlite + source.replace(/test(?=[.(]('a'|each|runIf))/, 'testOnBoth'))).toEqual(
      [],
    )
  })

  test('a second node with another configuration, and a test of one request, may run on SQLite alone', () => {
    expect(faultsOf('test/http/a.db.test.ts', `${onSqlite}test('a', async () => ask(await t.node({ signUp: false })))`)).toEqual(
      [],
    )
  })

  test('simultaneous requests may run on SQLite alone if the test says why the database does not decide between them', () => {
    const source = (reason: string) =>
      `${onSqlite}test('a', async () => {\n  // No race in the database:${reason}\n  await Promise.all([one(), two()])\n})`
    expect(faultsOf('test/http/a.db.test.ts', source(' bodies never arrive.'))).toEqual([])
    expect(faultsOf('test/http/a.db.test.ts', source(''))).toHaveLength(1)
    expect(faultsOf('test/http/a.db.test.ts', source(' bodies never arrive.\n  await t.node()'))).toHaveLength(1)
  })

  test('a test file that runs on both databases without a reason is refused', () => {
    const source = `${onSqlite}test('a', async () => ask(t))`
    expect(faultsOf('test/http/members.both.test.ts', source)).toHaveLength(1)
    expect(faultsOf('test/http/member-plans.both.test.ts', source)).toEqual([])
  })

  test('a test for both databases in a group that is skipped on PostgreSQL is refused', () => {
    const source = "describe('g', () => { testOnBoth('a', () => overlap()) })"
    expect(faultsOf('test/http/a.db.test.ts', source)).toHaveLength(1)
    expect(faultsOf('test/http/a.db.test.ts', source.replace('describe', 'describeOnBoth'))).toEqual([])
  })
})
