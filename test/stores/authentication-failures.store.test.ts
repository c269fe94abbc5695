import * as failures from '../../src/authentication/failures/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)
const page = { sort: 'occurredAt', order: 'asc', limit: 2, after: undefined } as const
const behind = (time: Date, id: string) => ({ value: time.getTime(), id })

compareStore('authentication/failures/store', failures, async ({ store, db, transact, seed, insert, compareRows }) => {
  await seed('user')
  await insert('user', { id: 'u2', email: 'u2@example.com' })
  const failure = (id: string, changes: Partial<failures.FailureRow> = {}): failures.FailureRow => ({
    ...{ id, occurredAt: at, lastAt: at, attempts: 1, userId: null, addressKey: null, method: 'password', provider: null },
    ...{ clientId: null, reason: 'wrong-password', code: 'INVALID_CREDENTIALS', detail: {}, address: '10.0.0.1' },
    ...{ network: '10.0.0.0/24', userAgent: 'Größe "%_"', requestId: 'q1', ...changes },
  })
  const full = { clientId: 'ü', detail: { wait: 2_147_483_647, word: 'ü"\\' }, provider: 'github', method: 'oidc', userId: 'u' }
  await transact(async (tx) => {
    await store.insertFailures(tx, [failure('f1'), failure('f2', { ...full, occurredAt: later, addressKey: 'k' })])
    await store.insertFailures(tx, [])
    await store.addAttempts(tx, failure('f3', { occurredAt: later, addressKey: 'k', requestId: 'q2', attempts: 2 }))
    await store.addAttempts(tx, failure('f3', { attempts: 5, lastAt: latest, reason: 'unknown' }))
    await store.insertFailures(tx, [failure('f4', { userId: 'u2', addressKey: 'k', occurredAt: latest, address: '::1' })])
    await store.insertFailures(tx, [failure('f5', { ...full, provider: 'GitHub', occurredAt: latest, requestId: 'Q1' })])
  })
  await transact((tx) => store.insertFailures(tx, [failure('f6', { userId: 'nobody' })])).catch(() => undefined)
  await compareRows()
  await store.findFailures(db, { requestId: 'q1' }, at, 10)
  await store.findFailures(db, { userId: 'u' }, at, 1)
  await store.findFailures(db, { userId: 'u', addressKeys: ['k', 'none'] }, at, 10)
  await store.findFailures(db, { addressKeys: ['k'] }, later, 10)
  await store.findFailures(db, { address: '10.0.0.1' }, later, 10)
  await store.findFailures(db, {}, at, 10)
  await store.findNewestOf(db, 'github', 10)
  await store.findNewestOf(db, 'github', 1)

  await store.pageOfFailures(db, {}, page)
  await store.pageOfFailures(db, {}, { ...page, after: behind(later, 'f2') })
  await store.pageOfFailures(db, {}, { ...page, order: 'desc' })
  await store.pageOfFailures(db, {}, { ...page, order: 'desc', after: behind(later, 'f3') })
  await store.pageOfFailures(db, { userId: 'u', provider: 'github' }, page)
  await store.pageOfFailures(db, { address: '10.0.0.1', reason: 'wrong-password' }, { ...page, limit: 10 })
  await store.pageOfFailures(db, { reason: 'wrong-password', method: 'password' }, { ...page, limit: 10 })
  await store.pageOfFailures(db, { since: later, until: latest }, { ...page, limit: 10 })
  await store.pageOfFailures(db, { provider: 'none' }, page)
  await store.ownFailures.read(db, { id: 'u', verifiedEmail: undefined })
  await store.failuresBefore(at)
  await store.failuresBefore(latest)
  await store.failuresBeyond(3)
  await store.failuresBeyond(5)
  await transact(async (tx) => {
    await store.deleteByAddress(tx, ['k', 'none'])
    await store.deleteByAddress(tx, [])
  })
})
