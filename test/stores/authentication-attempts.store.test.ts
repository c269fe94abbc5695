import * as attempts from '../../src/authentication/attempts/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)

compareStore('authentication/attempts/store', attempts, async ({ store, db, transact, seed, insert }) => {
  await seed('user')
  await insert('user', { id: 'u2', email: 'u2@example.com' })
  const proof = { method: 'password', at: at.toISOString(), amr: ['pwd'], factors: ['knowledge'], isPhishingResistant: false }
  const pending = (id: string, changes: Partial<attempts.PendingRow> = {}): attempts.PendingRow => ({
    ...{
      id,
      tokenHash: `of ${id}`,
      userId: 'u',
      proofs: [proof],
      rememberMe: true,
      mustEnrol: false,
      createdAt: at,
      expiresAt: later,
    },
    ...changes,
  })
  await transact(async (tx) => {
    await store.insertPending(tx, pending('p1'))
    await store.insertPending(tx, pending('p2', { proofs: [], rememberMe: false, mustEnrol: true, createdAt: later }))
    await store.insertPending(tx, pending('p3', { userId: 'u2', expiresAt: at }))
  })
  await transact((tx) => store.insertPending(tx, pending('p4', { tokenHash: 'of p1' }))).catch(() => undefined)
  await store.findPending(db, 'of p1')
  await store.findPending(db, 'of p2')
  await store.findPending(db, 'OF P1')
  await store.listPending(db, 'u')
  await store.listPending(db, 'another')
  await store.expiredPending(new Date(at.getTime() - 1))
  await store.expiredPending(at)
  await transact(async (tx) => {
    await store.updatePending(tx, 'p1', { proofs: [proof, { method: 'totp', at: later.toISOString(), provider: 'Größe' }] })
    await store.updatePending(tx, 'p1', { mustEnrol: true })
    await store.updatePending(tx, 'none', { mustEnrol: true })
  })
  await store.findPending(db, 'of p1')
  await transact(async (tx) => {
    await store.deletePending(tx, 'p3')
    await store.deletePending(tx, 'p3')
    await store.deletePendingOfUser(tx, 'u')
    await store.deletePendingOfUser(tx, 'u')
  })
})
