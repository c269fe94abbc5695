import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import knex from 'knex'
import { afterAll, describe, expect, test } from 'vitest'
import {
  droppingClient,
  immediateClient,
  isPostgresDialect,
  knexVersion,
  modules,
  onConnection,
  poolOf,
  settled,
  watchStatements,
} from '../../src/core/db/knex-parts.ts'

const require = createRequire(import.meta.url)
const { version } = require('knex/package.json') as { readonly version: string }
const closed: object[] = []
const sqlite = knex({
  client: immediateClient((connection) => closed.push(connection)),
  connection: { filename: ':memory:' },
  useNullAsDefault: true,
})
const postgres = knex({ client: droppingClient() })

afterAll(() => Promise.all([sqlite.destroy(), postgres.destroy()]))

/** Fails with the sentence that a person who upgrades needs. */
const expectPart = (isThere: boolean, part: string) =>
  expect(
    isThere,
    `knex ${version} has no ${part}; src/core/db/knex-parts.ts relies on it and was written for ${knexVersion}`,
  ).toBe(true)

describe('the undocumented parts of knex that gatehouse relies on', () => {
  test('the modules of the knex clients and of the SQLite transaction can be loaded', () => {
    for (const path of Object.values(modules))
      expectPart(typeof (require(path) as { readonly prototype?: unknown }).prototype === 'object', `class in ${path}`)
  })

  test('each statement is told when it is sent and when it is answered, with its error', async () => {
    const told: string[] = []
    watchStatements(sqlite, (sql) => {
      told.push(sql)
      return (error) => void told.push(error === undefined ? 'answered' : 'failed')
    })
    await sqlite.raw('select 1 as one')
    await sqlite.raw('select * from nothing').catch(() => undefined)
    await sqlite.transaction((trx) => onConnection(trx, { sql: 'select 2', bindings: [] }, async () => []))
    const answers = ['select 1 as one', 'answered', 'select * from nothing', 'failed', 'select 2', 'answered']
    expectPart(
      answers.every((text) => told.includes(text)),
      `event of the statements: ${told.join(', ')}`,
    )
  })

  test('the pool tells how many connections it has', () => {
    for (const [name, count] of Object.entries(poolOf(sqlite))) expectPart(Number.isInteger(count), `count of the pool: ${name}`)
  })

  test('the replaced methods exist on the classes of knex', () => {
    const methods = (path: string) => (require(path) as { readonly prototype: Readonly<Record<string, unknown>> }).prototype
    expectPart(typeof methods(modules.postgres)['_query'] === 'function', '_query of the PostgreSQL client')
    expectPart(typeof methods(modules.sqlite)['transaction'] === 'function', 'transaction of the SQLite client')
    expectPart(typeof methods(modules.sqlite)['destroyRawConnection'] === 'function', 'destroyRawConnection of the SQLite client')
    expectPart(typeof methods(modules.sqliteTransaction)['begin'] === 'function', 'begin of the SQLite transaction')
  })

  test('the knex client names its dialect', () => {
    expectPart(isPostgresDialect(postgres), 'client.dialect postgresql')
    expectPart(!isPostgresDialect(sqlite), 'client.dialect of SQLite')
  })

  test('a connection of the pool can be used directly and the statement is announced', async () => {
    const seen: unknown[] = []
    sqlite.on('query', (query: unknown) => seen.push(query))
    const statement = { sql: 'select 1', bindings: [] }
    const connection = await onConnection(sqlite, statement, async (raw) => raw)
    expectPart(typeof (connection as { prepare?: unknown }).prepare === 'function', 'connection of the driver in the pool')
    expectPart(seen.includes(statement), 'query event that can be emitted')
  })

  test('a transaction takes the write lock of SQLite when it starts', async () => {
    const seen: string[] = []
    sqlite.on('query', ({ sql }: { sql: string }) => seen.push(sql))
    await sqlite.transaction(async (transaction) => transaction.raw('select 1'))
    expectPart(seen.includes('BEGIN IMMEDIATE;'), 'begin that a subclass of the SQLite transaction replaces')
  })

  test('a transaction settles with its commit and rejects with its rollback', async () => {
    const ends: string[] = []
    const watch = (transaction: knex.Knex) =>
      settled(transaction).then(
        () => ends.push('committed'),
        () => ends.push('rolled back'),
      )
    await sqlite.transaction(async (transaction) => void watch(transaction))
    await sqlite
      .transaction(async (transaction) => {
        void watch(transaction)
        throw new Error('no')
      })
      .catch(() => undefined)
    expectPart(ends.join() === 'committed,rolled back', 'executionPromise of a transaction')
  })

  test('a connection that is marked as disposed is dropped by the pool', () => {
    const client = readFileSync(require.resolve('knex/lib/client.js'), 'utf8')
    expectPart(client.includes('connection.__knex__disposed'), 'look at __knex__disposed when a connection is validated')
  })

  test('closing a SQLite connection passes destroyRawConnection', async () => {
    await sqlite.destroy()
    expectPart(closed.length === 1, 'destroyRawConnection of the SQLite client')
  })
})
