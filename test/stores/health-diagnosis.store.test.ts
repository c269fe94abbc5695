import { expect } from 'vitest'
import { isPostgres } from '../../src/core/db/database.ts'
import * as diagnosis from '../../src/health/diagnosis/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)

compareStore(
  'health/diagnosis/store',
  diagnosis,
  async ({ store, db, transact, note }) => {
    const before = Date.now()
    const time = (await diagnosis.databaseTime(db)).getTime()
    // SQLite returns whole milliseconds, and both clocks are those of this machine.
    expect(time).toBeGreaterThanOrEqual(before - 1)
    expect(time).toBeLessThanOrEqual(Date.now() + 1)
    // SQLite has no such limit, and is not asked.
    if (isPostgres(db)) expect(await diagnosis.hasStatementTimeout(db)).toBe(true)

    const finding = (id: string, seenAt = at) => ({ id, since: seenAt, seenAt })
    await transact(async (tx) => {
      await store.noteFindings(tx, [])
      await store.noteFindings(tx, [finding('a'), finding('b')])
      await store.noteFindings(tx, [finding('b', later), finding('c', later)])
    })
    await store.listSince(db, ['a', 'b', 'c', 'unknown'])
    await store.listSince(db, [])
    await transact(async (tx) => {
      await store.deleteFindings(tx, at)
      await store.deleteFindings(tx, later)
    })
    note('deleteFindings', await db.knex('finding').orderBy('id').pluck('id'))
    await store.listSince(db, ['a', 'b', 'c'])
    await transact((tx) => store.tryWrite(tx, at, false))
    await transact((tx) => store.tryWrite(tx, later, true))
    await store.listSince(db, ['write-probe', 'write-probe-0'])
  },
  { uncalled: ['databaseTime', 'hasStatementTimeout'] },
)
