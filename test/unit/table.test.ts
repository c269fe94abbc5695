import { expect, test } from 'vitest'
import type { Db, Tx } from '../../src/core/db/database.ts'
import { bool, int, nullable, oneOf, table, text, time, view } from '../../src/core/db/table.ts'

const things = table('thing', { id: text, kind: oneOf('left', 'right'), size: nullable(int) })
/** No statement below reaches a database. */
const tx = {} as Tx
const db: Db = tx

test('a condition or a change with an unknown column is refused by the compiler and at run time', async () => {
  const misnamed = { identifier: 'a' }
  // @ts-expect-error: `identifier` is no column
  await expect(things.delete(tx, { ...misnamed })).rejects.toThrow('the table thing has no column for identifier')
  // @ts-expect-error: `identifier` is no column
  await expect(things.find(db, { id: 'a', ...misnamed })).rejects.toThrow('no column for identifier')
  // @ts-expect-error: `identifier` is no column
  await expect(things.list(db, { ...misnamed })).rejects.toThrow('no column for identifier')
  // @ts-expect-error: `identifier` is no column
  await expect(things.update(tx, { id: 'a' }, { ...misnamed })).rejects.toThrow('no column for identifier')
})

test('a condition with an undefined value is refused', async () => {
  const missing: { readonly id: string } = JSON.parse('{}')
  const { id } = missing
  await expect(things.delete(tx, { id })).rejects.toThrow('id of the table thing is undefined')
  await expect(things.find(db, { id })).rejects.toThrow('id of the table thing is undefined')
})

test('an update or delete without a condition is refused', async () => {
  for (const change of [things.delete(tx, {}), things.update(tx, {}, { size: 1 }), things.updateOne(tx, {}, { size: 1 })])
    await expect(change).rejects.toThrow('a change of the table thing needs a condition')
})

test("reading a value that is not in a column's enumeration throws", () => {
  expect(things.decode({ id: 'a', kind: 'left', size: null })).toEqual({ id: 'a', kind: 'left', size: null })
  expect(() => things.decode({ id: 'a', kind: 'up', size: 1 })).toThrow('a column holds "up" where left, right are expected')
})

const owners = view('owner', { id: text, fullName: text, isActive: bool, bornAt: nullable(time) })

test('a view of some columns reads and decodes only these columns, with the decoding of its table', () => {
  const named = owners.pick('id', 'isActive')
  expect(named.name).toBe('owner')
  expect(named.names).toEqual(['id', 'is_active'])
  expect(named.decode({ id: 'a', is_active: 1, full_name: 'Ann' })).toEqual({ id: 'a', isActive: true })
  const others = owners.omit('id', 'isActive')
  expect(others.names).toEqual(['full_name', 'born_at'])
  expect(others.decode({ full_name: 'Ann', born_at: null, is_active: 1 })).toEqual({ fullName: 'Ann', bornAt: null })
  // @ts-expect-error: `isOld` is no column
  expect(() => owners.pick('isOld')).toThrow()
})

test('a view gives the select list of a join, and decodes the columns that the join prefixes', () => {
  const named = owners.pick('fullName', 'isActive')
  expect(named.namesOf('o')).toEqual(['o.full_name', 'o.is_active'])
  expect(named.namesOf('o', 'owner_')).toEqual(['o.full_name as owner_full_name', 'o.is_active as owner_is_active'])
  expect(named.columnsOf('o', 'owner_').map(({ sql, name }) => [sql, name])).toEqual([
    ['o.full_name', 'owner_full_name'],
    ['o.is_active', 'owner_is_active'],
  ])
  expect(named.decode({ owner_full_name: 'Ann', owner_is_active: 0 }, 'owner_')).toEqual({ fullName: 'Ann', isActive: false })
})

test('an optional view is null in every column where a left join found no row', () => {
  const joined = owners.pick('fullName', 'isActive').optional()
  expect(joined.decode({ full_name: null, is_active: null })).toEqual({ fullName: null, isActive: null })
  expect(joined.decode({ full_name: 'Ann', is_active: 1 })).toEqual({ fullName: 'Ann', isActive: true })
})

test('a view of a table has no writes, because only the feature that owns the table may write', async () => {
  expect(Object.keys(owners).filter((name) => /^(insert|update|upsert|delete|encode)/.test(name))).toEqual([])
  await expect(table(owners).delete(tx, {})).rejects.toThrow('a change of the table owner needs a condition')
})
