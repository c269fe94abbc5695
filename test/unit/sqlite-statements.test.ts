/** How statements of knex are sent to SQLite: prepared once per connection, with the results of each use. */

import { join } from 'node:path'
import type { Knex } from 'knex'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/core/db/database.ts'
import { acquire, release } from '../../src/core/db/knex-parts.ts'
import { openSqlite } from '../../src/core/db/sqlite.ts'
import { temporaryDirectory } from '../support/directory.ts'
import { tellsOpenFiles, timesOpen } from '../support/open-files.ts'

let knex: Knex
let prepared: string[]
beforeEach(async () => {
  knex = openSqlite(':memory:', 'NORMAL', true)
  await knex.raw('create table one (id integer primary key, name text unique)')
  prepared = []
  const connection = (await acquire(knex)) as { prepare: (sql: string, ...rest: readonly unknown[]) => unknown }
  const prepare = connection.prepare.bind(connection)
  connection.prepare = (sql, ...rest) => {
    prepared.push(sql)
    return prepare(sql, ...rest)
  }
  release(knex, connection)
})
afterEach(() => knex.destroy())

const insert = (name: string) => knex('one').insert({ name })

describe('a statement of knex on SQLite', () => {
  test('is prepared once, however often it is sent, and each use has its own rows, keys and counts', async () => {
    expect([await insert('a'), await insert('b'), await insert('c')]).toEqual([[1], [2], [3]])
    expect(await knex('one').where({ name: 'b' }).first('id')).toEqual({ id: 2 })
    expect(await knex('one').where({ name: 'c' }).first('id')).toEqual({ id: 3 })
    expect(
      await knex('one')
        .where('id', '>', 1)
        .update({ name: knex.raw("name || 'x'") }),
    ).toBe(2)
    expect(
      await knex('one')
        .where('id', '>', 3)
        .update({ name: knex.raw("name || 'x'") }),
    ).toBe(0)
    expect(await knex('one').where('id', 3).delete()).toBe(1)
    expect(await knex('one').where('id', 3).delete()).toBe(0)
    expect(await knex('one').insert({ name: 'd' }).returning('name')).toEqual([{ name: 'd' }])
    expect(prepared).toEqual([...new Set(prepared)])
    expect(prepared).toHaveLength(5)
  })

  test('has its own result when it is sent several times at once', async () => {
    const keys = await Promise.all(['a', 'b', 'c', 'd'].map(insert))
    expect(keys.flat().sort()).toEqual([1, 2, 3, 4])
    const rows = await Promise.all([1, 2, 3, 4].map((id) => knex('one').where({ id }).first('id')))
    expect(rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }])
  })

  test('can be sent again after it failed', async () => {
    await insert('a')
    await expect(insert('a')).rejects.toThrow('UNIQUE constraint failed')
    expect(await insert('b')).toEqual([2])
  })

  test('that names a missing table fails each time with that reason, also at once, and works when the table exists', async () => {
    const read = () => knex('two').select('id')
    for (const result of await Promise.allSettled([read(), read(), read()]))
      expect(String((result as PromiseRejectedResult).reason)).toContain('no such table: two')
    await knex.raw('create table two (id integer)')
    expect(await read()).toEqual([])
    await knex.raw('alter table two add column more text')
    expect(await knex('two').select('*')).toEqual([])
    await knex('two').insert({ id: 1 })
    expect(await knex('two').select('*')).toEqual([{ id: 1, more: null }])
    await knex.raw('alter table two add column last text')
    expect(await knex('two').select('*')).toEqual([{ id: 1, more: null, last: null }])
    await knex.raw('drop table two')
    await expect(read()).rejects.toThrow('no such table: two')
  })

  test('holds no lock after it has been answered', async () => {
    await insert('a')
    await knex('one').select('*').limit(1)
    await knex('one').where({ name: 'a' }).delete().returning('id')
    await knex.raw('drop table one')
  })

  test('is closed when many other statements have been used since', async () => {
    await knex('one').select('id')
    for (let i = 0; i < 250; i += 1) await knex('one').select({ [`id${i}`]: 'id' })
    await knex('one').select('id')
    expect(prepared.filter((sql) => sql === 'select `id` from `one`')).toHaveLength(2)
    expect(prepared).toHaveLength(252)
  })

  test('with a long text or value is not kept in memory', async () => {
    for (const name of ['a'.repeat(9_000), 'b'.repeat(9_000)]) await knex('one').insert({ name })
    expect(
      await knex('one')
        .whereIn('id', [1, ...Array(9_000).fill(2)])
        .select('id'),
    ).toEqual([{ id: 1 }, { id: 2 }])
    expect(prepared).toEqual([])
  })
})

describe('connections to one SQLite file', () => {
  const directory = temporaryDirectory()
  const open = async (name: string) => {
    const database = openDatabase({ url: `sqlite:${join(directory, name)}`, poolMax: 1, synchronous: 'NORMAL' })
    await database.db.knex.raw('create table if not exists one (id integer primary key, name text unique)')
    // A statement fails at once if another connection has the lock.
    await database.db.knex.raw('PRAGMA busy_timeout=0')
    return database
  }

  test.each([
    ['a change', (knex: Knex) => knex('one').insert({ name: 'refused' })],
    ['a change that returns rows', (knex: Knex) => knex('one').insert({ name: 'refused' }).returning('id')],
    ['a prepared change', undefined],
  ])(
    '%s that found the database locked does not keep later changes of its connection from being committed',
    async (name, change) => {
      const [one, other] = [await open(name), await open(name)]
      const { knex } = other.db
      // Both kinds of statements are prepared before the lock is taken.
      await other.transact((tx) => tx.knex('one').insert({ name: 'before' }))
      await one.transact(async () => {
        const refused = change === undefined ? other.transact(async () => undefined) : change(knex)
        await expect(refused).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
      })
      await knex('one').where({ name: 'before' }).update({ name: 'changed' })
      expect(await one.db.knex('one').pluck('name')).toEqual(['changed'])
      await other.transact((tx) => tx.knex('one').insert({ name: 'inserted' }))
      await one.transact((tx) => tx.knex('one').insert({ name: 'last' }))
      expect(await knex('one').orderBy('id').pluck('name')).toEqual(['changed', 'inserted', 'last'])
      await one.destroy()
      await other.destroy()
    },
  )

  test.runIf(tellsOpenFiles)('close the file although they have kept statements', async () => {
    const database = await open('closed')
    await database.db.knex('one').select('id')
    expect(timesOpen(join(directory, 'closed'))).toBe(1)
    await database.destroy()
    expect(timesOpen(join(directory, 'closed'))).toBe(0)
  })
})
