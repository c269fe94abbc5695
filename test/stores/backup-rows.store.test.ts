import { encodeValue } from '../../src/backup/rules/values.ts'
import * as rows from '../../src/backup/store/rows.ts'
import { describeTables, type TableShape } from '../../src/backup/store/schema.ts'
import type { Db } from '../../src/core/db/database.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const store = {
  ...rows,
  /** Values in the form of a backup, because the drivers return different types. */
  readRows: async function* (db: Db, table: TableShape, size?: number) {
    for await (const batch of rows.readRows(db, table, size))
      yield batch.map((row) => row.map((value, i) => encodeValue(table.columns[i]?.kind ?? 'text', value)))
  },
}

compareStore('backup/store/rows', store, async ({ store, db, transact, seed, insert, note, compareRows }) => {
  await seed('user', 'organization', 'image')
  const shapes = await describeTables(db)
  const shapeOf = (name: string): TableShape => shapes.find((shape) => shape.name === name) ?? { name, columns: [], key: [] }
  for (const [id, sequence] of [
    ['10', 10],
    ['9', 9],
    ['A', '9007199254740993'],
    ['a', 1],
    ['ä', '9223372036854775807'],
  ] as const)
    await insert('task', { id, sequence, due_at: at, details: id === 'a' ? '{"a":"ü"}' : null })
  await store.readRows(db, shapeOf('task'), 2)
  await store.readRows(db, shapeOf('task'))
  await store.readRows(db, shapeOf('image'), 1)
  await store.readRows(db, shapeOf('backup'), 2)

  const columns = ['user_id', 'key_hash', 'last_used_at']
  const devices = ['b', 'B', 'a', 'ä', '_', '%', '10', '9'].map((key) => ['u', key, at])
  await transact(async (tx) => {
    await store.insertRows(tx, 'known_device', columns, devices)
    await store.insertRows(tx, 'known_device', columns, [])
    await store.insertRows(tx, 'organization', ['id', 'name', 'slug', 'created_at', 'logo'], [['"o"', 'Ünal %_', "o'", at, null]])
  })
  // A key of two columns, with pages that end at either column.
  for (const size of [1, 3, 8]) await store.readRows(db, shapeOf('known_device'), size)
  await compareRows()
  await db.knex('known_device').delete()
  // More values than one statement can have.
  const many = Array.from({ length: 10_001 }, (_, i) => ['u', String(i), at])
  await transact((tx) => store.insertRows(tx, 'known_device', columns, many))
  note('insertRows', Number((await db.knex('known_device').count({ all: '*' }).first())?.['all']))
  await transact((tx) => store.deleteAllRows(tx, 'known_device'))
  await transact((tx) => store.insertRows(tx, 'known_device', columns, [['nobody', 'a', at]])).catch(() => undefined)
})
