import * as backups from '../../src/backup/store/backups.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)
const page = { sort: 'startedAt', order: 'asc', limit: 2, after: undefined } as const

compareStore('backup/store/backups', backups, async ({ store, db, transact, compareRows }) => {
  const backup = (id: string, changes: Partial<backups.BackupRow> = {}): backups.BackupRow => ({
    ...{
      id,
      status: 'made',
      reason: 'schedule',
      startedAt: at,
      endedAt: null,
      file: null,
      bytes: null,
      rowCount: null,
      sha256: null,
    },
    ...{ hasKeys: null, error: null, ...changes },
  })
  const written = { endedAt: later, file: '/größe/%_.backup', bytes: 2 ** 50, rowCount: 2 ** 33, sha256: 'h', hasKeys: true }
  await transact(async (tx) => {
    await store.lockBackups(tx)
    await store.insertBackup(tx, backup('b1', written))
    await store.insertBackup(tx, backup('b2', { ...written, startedAt: later, reason: 'command', hasKeys: false }))
    await store.insertBackup(tx, backup('B3', { startedAt: later, reason: 'call' }))
    await store.insertBackup(tx, backup('b4', { startedAt: latest, status: 'failed', error: 'Ü"%_' }))
    await store.insertBackup(tx, backup('b5', { startedAt: latest, status: 'running' }))
    await store.insertBackup(tx, backup('b6', { startedAt: at, status: 'pending' }))
    await store.insertBackup(tx, backup('b7', { startedAt: at, status: 'pending' }))
  })
  await transact((tx) => store.insertBackup(tx, backup('b1'))).catch(() => undefined)
  for (const id of ['b1', 'B3', 'b3']) await store.findBackup(db, id)
  await store.findNewest(db, 'made')
  await store.findNewest(db, 'made', false)
  await store.findNewest(db, 'made', true)
  await store.findNewest(db, 'deleted')
  await store.listKept(db)
  await store.listBackups(db, undefined, page)
  await store.listBackups(db, undefined, { ...page, after: { value: at.getTime(), id: 'b7' } })
  await store.listBackups(db, undefined, { ...page, order: 'desc', after: { value: later.getTime(), id: 'b2' } })
  await store.listBackups(db, 'made', { ...page, order: 'desc' })
  await store.listBackups(db, 'deleted', page)
  await store.listBackups(db, 'deleted', { ...page, isCounted: true })
  await transact(async (tx) => {
    await store.updateOpen(tx, 'b5', { ...written, status: 'made' })
    await store.updateOpen(tx, 'b5', { status: 'failed' })
    await store.updateOpen(tx, 'b6', { status: 'running', hasKeys: null })
    await store.setDeleted(tx, 'b1')
    await store.setDeleted(tx, 'b1')
    await store.failOpen(tx, 'interrupted', latest, at)
    await store.failOpen(tx, 'interrupted', latest, later)
    await store.insertBackup(tx, backup('b8', { status: 'pending', startedAt: latest }))
    await store.failOpen(tx, 'restored', latest)
  })
  await compareRows()
  await store.settledBefore(at)
  await store.settledBefore(latest)
})
