import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, lockRow, openDatabase, type Tx, uniqueViolation } from '../../../src/core/db/database.ts'
import {
  migrateDown,
  migrateUp,
  migrationStatus,
  previewDown,
  SchemaTooNewError,
  SchemaUnreleasedError,
} from '../../../src/core/db/migrate.ts'
import { bool, int, json, nullable, oneOf, table, text, time } from '../../../src/core/db/table.ts'
import { createDatabase, dialect, type TestDatabase } from '../../support/database.ts'

const columns = { id: text, count: int, isOn: bool, at: time, extra: nullable(json<{ a: number }>()), kind: oneOf('x', 'y') }
const things = table('thing', columns)
const list = {
  '1_thing': {
    up: (knex) =>
      knex.schema.createTable('thing', (t) => {
        t.string('id').primary()
        t.integer('count').notNullable()
        t.boolean('is_on').notNullable()
        t.timestamp('at').notNullable()
        t.text('extra')
        t.string('kind').notNullable()
      }),
    down: (knex) => knex.schema.dropTable('thing'),
  },
  '2_part': {
    up: async (knex) => {
      await knex.schema.createTable('part', (t) => {
        t.string('id').primary()
        t.string('thing_id').notNullable().references('thing.id').onDelete('CASCADE')
      })
    },
    down: (knex) => knex.schema.dropTable('part'),
  },
} satisfies Parameters<typeof migrateUp>[1]

let place: TestDatabase
let database: Database
const open = () => openDatabase({ url: place.url, poolMax: 10, synchronous: 'NORMAL' })
const at = new Date('2026-02-03T04:05:06.789Z')
const row = (id: string, count = 0) => ({ id, count, isOn: true, at, extra: { a: 1 }, kind: 'x' as const })
const now = () => new Date()

beforeAll(async () => {
  place = await createDatabase()
  database = open()
  await migrateUp(database, list, now)
})
afterAll(async () => {
  await database.destroy()
  await place.drop()
})

test('a row comes back as it was written: times, booleans, JSON, nulls', async () => {
  const one = { ...row('one'), extra: null, isOn: false }
  await database.transact(async (tx) => {
    await things.insert(tx, one)
    await things.insert(tx, row('two'))
  })
  expect(await things.find(database.db, { id: 'one' })).toEqual(one)
  expect(await things.find(database.db, { isOn: true, at })).toEqual(row('two'))
  expect(await things.list(database.db, {}, { orderBy: 'id', descending: true, limit: 1 })).toEqual([row('two')])
  expect(await things.find(database.db, { id: 'none' })).toBeUndefined()
})

test('an error thrown in a transaction rolls all of it back', async () => {
  const work = database.transact(async (tx) => {
    await things.insert(tx, row('ghost'))
    throw new Error('no')
  })
  await expect(work).rejects.toThrow('no')
  expect(await things.find(database.db, { id: 'ghost' })).toBeUndefined()
})

test('a second row with the same key is recognised as a unique violation', async () => {
  await database.transact((tx) => things.insert(tx, row('same')))
  const error = await database.transact((tx) => things.insert(tx, row('same'))).catch((caught: unknown) => caught)
  expect(uniqueViolation(error)).toBeDefined()
  expect(uniqueViolation(new Error('other'))).toBeUndefined()
})

test('read-modify-write under a lock loses nothing, with two processes on one database', async () => {
  await database.transact((tx) => things.insert(tx, row('counter')))
  const other = open()
  const increment = async (tx: Tx) => {
    await lockRow(tx, 'thing', 'counter')
    const thing = await things.find(tx, { id: 'counter' })
    await things.update(tx, { id: 'counter' }, { count: (thing?.count ?? 0) + 1 })
  }
  await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? database : other).transact(increment)))
  expect((await things.find(database.db, { id: 'counter' }))?.count).toBe(40)
  await other.destroy()
})

test('of simultaneous conditional updates exactly one wins', async () => {
  await database.transact((tx) => things.insert(tx, row('once')))
  const wins = await Promise.all(
    Array.from({ length: 20 }, () => database.transact((tx) => things.updateOne(tx, { id: 'once', kind: 'x' }, { kind: 'y' }))),
  )
  expect(wins.filter(Boolean)).toHaveLength(1)
})

test('foreign keys are enforced', async () => {
  await expect(database.transact((tx) => tx.knex('part').insert({ id: 'p', thing_id: 'nowhere' }))).rejects.toThrow()
})

test('migrations run once however many processes start them, and can be undone and run again', async () => {
  const fresh = await createDatabase()
  const nodes = [1, 2, 3].map(() => openDatabase({ url: fresh.url, poolMax: 2, synchronous: 'NORMAL' }))
  const done = (await Promise.all(nodes.map((node) => migrateUp(node, list, now)))).flat()
  expect(done.sort()).toEqual(['1_thing', '2_part'])
  const [node] = nodes
  if (node === undefined) throw new Error('no node')
  expect(await migrationStatus(node, list)).toEqual({ done: ['1_thing', '2_part'], pending: [] })
  expect(await migrateDown(node, list)).toBe('2_part')
  expect(await migrationStatus(node, list)).toEqual({ done: ['1_thing'], pending: ['2_part'] })
  expect(await migrateUp(node, list, now)).toEqual(['2_part'])
  await Promise.all(nodes.map((one) => one.destroy()))
  await fresh.drop()
})

test('a schema newer than the binary is refused with a message that says what to do', async () => {
  const older = { '1_thing': list['1_thing'] }
  await expect(migrateUp(database, older, now)).rejects.toThrow(SchemaTooNewError)
  await expect(migrationStatus(database, older)).rejects.toThrow(/2_part.*newer version/)
})

test('a schema from before the first release is refused, and not taken for a newer one', async () => {
  const released = { '3_other': list['1_thing'] }
  await expect(migrateUp(database, released, now)).rejects.toThrow(SchemaUnreleasedError)
  await expect(migrationStatus(database, released)).rejects.toThrow(/1_thing to 2_part.*empty database/)
})

test('a preview of undoing a migration names the column that is lost and changes nothing', async () => {
  const more = {
    ...list,
    '3_column': {
      up: (knex: typeof database.db.knex) => knex.schema.alterTable('part', (t) => void t.string('colour')),
      down: (knex: typeof database.db.knex) => knex.schema.alterTable('part', (t) => void t.dropColumn('colour')),
    },
  }
  await migrateUp(database, more, now)
  expect(await previewDown(database, more)).toEqual({ name: '3_column', lost: ['column part.colour with 0 values'] })
  expect(Object.keys(await database.db.knex('part').columnInfo())).toContain('colour')
  expect(await migrateDown(database, more)).toBe('3_column')
})

test('a migration that rebuilds a table keeps the rows that refer to it', async () => {
  await database.transact(async (tx) => {
    await things.insert(tx, row('parent'))
    await tx.knex('part').insert({ id: 'child', thing_id: 'parent' })
  })
  const more = {
    ...list,
    '3_alter': {
      up: (knex: typeof database.db.knex) => knex.schema.alterTable('thing', (t) => t.dropColumn('extra')),
      down: async () => {},
    },
  }
  await migrateUp(database, more, now)
  expect(await database.db.knex('part').where({ id: 'child' })).toHaveLength(1)
})

test(`this file ran on ${dialect}`, () => expect(database.dialect).toBe(dialect))
