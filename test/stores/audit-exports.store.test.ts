import * as exports from '../../src/audit/exports/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)
const page = { sort: 'createdAt', order: 'asc', limit: 2, after: undefined } as const

compareStore('audit/exports/store', exports, async ({ store, db, transact, seed, compareRows }) => {
  await seed('user')
  const row = (id: string, changes: Partial<exports.EventExportRow> = {}): exports.EventExportRow => ({
    ...{ id, owner: 'user:u', userId: 'u', format: 'csv', filters: {}, until: at, status: 'pending', error: null, beganAt: null },
    ...{
      placeAt: null,
      placeId: null,
      chunks: 0,
      events: 0,
      bytes: 0,
      createdAt: at,
      endedAt: null,
      expiresAt: latest,
      ...changes,
    },
  })
  const filters = { since: at, until: later, actorKind: 'user' as const, address: '10.0.0.1' }
  const under = { status: 'running', beganAt: at, placeAt: later, placeId: 'e', bytes: 2 ** 40, events: 2_147_483_647 } as const
  await transact(async (tx) => {
    await store.lockOwner(tx, 'user:u')
    await store.insertExport(tx, row('e1'))
    await store.insertExport(tx, row('e2', { format: 'jsonl', filters, ...under, createdAt: later }))
    await store.insertExport(tx, row('e3', { status: 'made', endedAt: later, createdAt: later }))
    await store.insertExport(tx, row('e4', { status: 'failed', error: 'too-large', createdAt: latest }))
    await store.insertExport(tx, row('e5', { expiresAt: later }))
    await store.insertExport(tx, row('e6', { owner: 'api-key:k', userId: null }))
  })
  await transact((tx) => store.insertExport(tx, row('e7', { userId: 'nobody' }))).catch(() => undefined)
  await store.countKept(db, 'user:u', at)
  await store.countKept(db, 'user:u', later)
  await store.countKept(db, 'user:another', at)
  for (const id of ['e1', 'e2', 'e5', 'none']) await store.findExport(db, id, later)

  await store.listExports(db, 'user:u', at, page)
  await store.listExports(db, 'user:u', at, { ...page, after: { value: at.getTime(), id: 'e5' } })
  await store.listExports(db, 'user:u', later, { ...page, order: 'desc' })
  await store.listExports(db, 'user:u', later, { ...page, order: 'desc', after: { value: later.getTime(), id: 'e3' } })
  await store.listExports(db, 'user:another', at, page)

  const bytes = Buffer.from([0, 255, 1, 128])
  await transact(async (tx) => {
    await store.addChunk(tx, row('e1'), bytes, { status: 'running', beganAt: at, events: 3, bytes: 2 ** 33 })
    // Another node has added the first chunk.
    await store.addChunk(tx, row('e1'), bytes, {})
    await store.addChunk(tx, row('e1', { status: 'running', chunks: 1 }), Buffer.alloc(0), { status: 'made', endedAt: later })
    await store.addChunk(tx, row('e3', { status: 'made' }), bytes, {})
    await store.addChunk(tx, row('e2', under), bytes, { placeAt: null, placeId: null })
  })
  for (const [id, number] of [
    ['e1', 0],
    ['e1', 1],
    ['e1', 2],
    ['none', 0],
  ] as const)
    await store.findChunk(db, id, number)
  await store.findExport(db, 'e1', at)
  await transact(async (tx) => {
    for (const id of ['e2', 'e2', 'e3', 'e5', 'none']) await store.failOpen(tx, id, 'interrupted', later)
  })
  await store.findExport(db, 'e2', at)
  await store.expiredExports(at)
  await store.expiredExports(later)
  await transact(async (tx) => {
    await store.deleteExport(tx, 'e3', 'user:another')
    await store.deleteExport(tx, 'e3', 'user:u')
  })
  await compareRows()
  await transact((tx) => store.deleteAll(tx))
})
