import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { readPage } from '../../../src/core/db/keyset.ts'
import { cursorOf, cutPage, nextAfter, sortedPage } from '../../../src/core/page.ts'
import { type TestApp, testApp } from '../../support/app.ts'

const table = 'page_test'
const list = sortedPage('things', z.object({ id: z.string() }), {
  filter: { color: z.string().optional() },
  sorts: ['name', 'size'],
})

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  await t.app.database.db.knex.schema.createTable(table, (columns) => {
    columns.string('id').primary()
    columns.string('name').notNullable()
    columns.bigInteger('size').notNullable()
  })
})
afterAll(() => t.stop())

interface Row {
  readonly id: string
  readonly name: string
  readonly size: number
}
const things = () => t.app.database.db.knex<Row>(table)

const read = async (input: z.input<(typeof list)['query']>) => {
  const query = list.query.parse(input)
  const { sort, order, limit, after } = cursorOf(query)
  const rows: Row[] = await readPage(things(), {
    columns: [sort, 'id'],
    order,
    limit,
    after: after === undefined ? undefined : [after.value, after.id],
  })
  return cutPage(rows, query.limit, (last) => nextAfter(query, { value: last[query.sort], id: last.id }))
}

const readAll = async (input: z.input<(typeof list)['query']>, meanwhile: () => Promise<unknown> = async () => undefined) => {
  const ids: string[] = []
  let after: string | undefined
  for (let i = 0; i < 20; i++) {
    const { rows, next } = await read({ ...input, after })
    ids.push(...rows.map(({ id }) => id))
    if (next === null) return ids
    after = next
    await meanwhile()
  }
  throw new Error('the list never ends')
}

test('the pages of a sorted list contain every row once in either order, even with equal values', async () => {
  await things().insert([1, 2, 3, 4, 5, 6, 7].map((n) => ({ id: `t${n}`, name: n < 5 ? 'ß same' : `n${n}`, size: 10 - n })))
  const byName = await readAll({ sort: 'name', order: 'asc', limit: 2 })
  expect([...byName].sort()).toEqual(['t1', 't2', 't3', 't4', 't5', 't6', 't7'])
  expect(await readAll({ sort: 'name', order: 'desc', limit: 3 })).toEqual([...byName].reverse())
  expect(await readAll({ sort: 'size', order: 'asc', limit: 2 })).toEqual(['t7', 't6', 't5', 't4', 't3', 't2', 't1'])
})

test('rows added or deleted between two pages cause no repeated and no missing row', async () => {
  let n = 0
  const ids = await readAll({ sort: 'size', order: 'asc', limit: 2 }, async () => {
    n += 1
    await things().insert({ id: `new${n}`, name: 'new', size: -n })
    if (n === 1) await things().delete().where({ id: 't6' })
  })
  expect(ids).toEqual(['t7', 't6', 't5', 't4', 't3', 't2', 't1'])
})

test('a cursor that is broken, or from another sort or order, is refused', async () => {
  const { next } = await read({ sort: 'size', order: 'asc', limit: 1 })
  expect(next).not.toBeNull()
  const isTaken = (query: object) => list.query.safeParse(query).success
  expect(isTaken({ sort: 'size', order: 'asc', after: next })).toBe(true)
  for (const wrong of [
    { sort: 'name', order: 'asc', after: next },
    { sort: 'size', order: 'desc', after: next },
    { sort: 'size', order: 'asc', after: `${next}x` },
    { sort: 'size', order: 'asc', after: '' },
    { sort: 'size', order: 'asc', after: btoa('["size","asc",{},"t1"]') },
    { sort: 'size', order: 'asc', after: '😀' },
    { sort: 'other' },
    { limit: 0 },
    { limit: 101 },
  ])
    expect(isTaken(wrong), JSON.stringify(wrong)).toBe(false)
})
