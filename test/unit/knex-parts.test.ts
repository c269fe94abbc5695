import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import knex from 'knex'
import { afterAll, describe, expect, test } from 'vitest'
import {
  acquire,
  announced,
  classes,
  disposeOf,
  droppingClient,
  heldTo,
  immediateClient,
  isPostgresDialect,
  knexVersion,
  poolOf,
  release,
  watchStatements,
} from '../../src/core/db/knex-parts.ts'

const require = createRequire(import.meta.url)
const { version } = require('knex/package.json') as { readonly version: string }
const closed: object[] = []
const sqlite = knex({
  client: immediateClient({ send: () => undefined, beforeClose: (connection) => closed.push(connection) }),
  connection: { filename: ':memory:' },
  useNullAsDefault: true,
})
const postgres = knex({ client: droppingClient() })

afterAll(() => Promise.all([sqlite.destroy(), postgres.destroy()]))

/** Fails with a message for the person who upgrades the library. */
const expectPart = (isThere: boolean, part: string) =>
  expect(
    isThere,
    `knex ${version} has no ${part}; src/core/db/knex-parts.ts relies on it and was written for ${knexVersion}`,
  ).toBe(true)

describe('the undocumented parts of knex that gatehouse relies on', () => {
  test('knex announces each statement when it is sent and when it is answered, with its error', async () => {
    const told: string[] = []
    watchStatements(sqlite, (sql) => {
      told.push(sql)
      return (error) => void told.push(error === undefined ? 'answered' : 'failed')
    })
    await sqlite.raw('select 1 as one')
    await sqlite.raw('select * from nothing').catch(() => undefined)
    await announced(sqlite, { sql: 'select 2', bindings: [] }, async () => [])
    const answers = ['select 1 as one', 'answered', 'select * from nothing', 'failed', 'select 2', 'answered']
    expectPart(
      answers.every((text) => told.includes(text)),
      `event of the statements: ${told.join(', ')}`,
    )
  })

  test('the pool of knex reports its number of connections', () => {
    for (const [name, count] of Object.entries(poolOf(sqlite))) expectPart(Number.isInteger(count), `count of the pool: ${name}`)
  })

  test('the replaced methods exist on the classes of knex', () => {
    const { postgresClient, postgresTransaction, sqliteClient, sqliteTransaction } = classes
    expectPart(typeof postgresClient.prototype._query === 'function', '_query of the PostgreSQL client')
    for (const { prototype } of [postgresClient, sqliteClient])
      expectPart(typeof prototype.acquireRawConnection === 'function', 'acquireRawConnection of the clients')
    expectPart(typeof postgresClient.prototype.transaction === 'function', 'transaction of the PostgreSQL client')
    expectPart(typeof postgresTransaction.prototype.query === 'function', 'query of a PostgreSQL transaction')
    expectPart(typeof sqliteClient.prototype.transaction === 'function', 'transaction of the SQLite client')
    expectPart(typeof sqliteClient.prototype.destroyRawConnection === 'function', 'destroyRawConnection of the SQLite client')
    expectPart(typeof sqliteTransaction.prototype.begin === 'function', 'begin of the SQLite transaction')
  })

  test('the knex client names its dialect', () => {
    expectPart(isPostgresDialect(postgres), 'client.dialect postgresql')
    expectPart(!isPostgresDialect(sqlite), 'client.dialect of SQLite')
  })

  test('a connection of the pool can be used directly, and the statement is announced', async () => {
    const seen: unknown[] = []
    sqlite.on('query', (query: unknown) => seen.push(query))
    const statement = { sql: 'select 1', bindings: [] }
    const connection = await acquire(sqlite)
    await announced(sqlite, statement, async () => [])
    release(sqlite, connection)
    expectPart(typeof (connection as { prepare?: unknown }).prepare === 'function', 'connection of the driver in the pool')
    expectPart(seen.includes(statement), 'query event that can be emitted')
  })

  test('a knex bound to a connection builds, sends and announces its statements there, and asks before each statement', async () => {
    const connection = await acquire(sqlite)
    const seen: string[] = []
    const listen = ({ sql }: { sql: string }) => void seen.push(sql)
    sqlite.on('query', listen)
    let [begun, sent] = [0, 0]
    const held = heldTo(sqlite, connection, {
      begin: () => {
        begun += 1
        if (begun > 5) throw new Error('over')
      },
      sending: (send) => {
        sent += 1
        return send()
      },
    })
    try {
      // The pool has only this connection, so a statement on another one would wait forever.
      await held.raw('create temporary table one (id integer)')
      await held('one').insert({ id: 1 })
      const rows = [await held.from('one').select('id'), await held.select('id').from('one'), await held.raw('select 1 as id')]
      expectPart(JSON.stringify(rows) === JSON.stringify(Array(3).fill([{ id: 1 }])), 'context and client that can be derived')
      expectPart(seen.length === 5, `event of the statements: ${seen.join(', ')}`)
      expectPart(sent === 5, 'method `_query` that sends each statement')
      await expect(held('one').select('id')).rejects.toThrow('over')
    } finally {
      sqlite.off('query', listen)
      release(sqlite, connection)
    }
  })

  test('a transaction takes the write lock of SQLite when it starts', async () => {
    const seen: string[] = []
    sqlite.on('query', ({ sql }: { sql: string }) => seen.push(sql))
    await sqlite.transaction(async (transaction) => transaction.raw('select 1'))
    expectPart(seen.includes('BEGIN IMMEDIATE;'), 'begin that a subclass of the SQLite transaction replaces')
  })

  test('the pool of knex drops a connection marked as disposed', () => {
    const client = readFileSync(require.resolve('knex/lib/client.js'), 'utf8')
    const connection = {}
    disposeOf(connection, new Error('no answer'))
    expectPart(
      '__knex__disposed' in connection && client.includes('connection.__knex__disposed'),
      'look at __knex__disposed when a connection is validated',
    )
  })

  test('closing a SQLite connection passes destroyRawConnection', async () => {
    await sqlite.destroy()
    expectPart(closed.length === 1, 'destroyRawConnection of the SQLite client')
  })
})
