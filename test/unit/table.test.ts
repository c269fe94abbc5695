import { expect, test } from 'vitest'
import type { Db, Tx } from '../../src/core/db/database.ts'
import { int, nullable, oneOf, table, text } from '../../src/core/db/table.ts'

const things = table('thing', { id: text, kind: oneOf('left', 'right'), size: nullable(int) })
/** Nothing below reaches a database. */
const tx = {} as Tx
const db: Db = tx

test('a condition or a change with a key that is no column is refused by the compiler and at run time', async () => {
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

test('reading a value that the enumeration of a column does not have throws', () => {
  expect(things.decode({ id: 'a', kind: 'left', size: null })).toEqual({ id: 'a', kind: 'left', size: null })
  expect(() => things.decode({ id: 'a', kind: 'up', size: 1 })).toThrow('a column holds "up" where left, right are expected')
})
