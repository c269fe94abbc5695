import * as totp from '../../src/authentication/methods/totp/store.ts'
import type { Sealed } from '../../src/core/crypto.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)

compareStore(
  'authentication/methods/totp/store',
  totp,
  async ({ store, db, transact, seed, insert }) => {
    await seed('user')
    await insert('user', { id: 'u2', email: 'u2@example.com' })
    const app = (id: string, changes: Partial<totp.TotpRow> = {}): totp.TotpRow => ({
      ...{
        sessionId: null,
        id,
        userId: 'u',
        secret: '01ab' as Sealed,
        issuer: 'Größe: %_',
        confirmedAt: null,
        lastStep: null,
        createdAt: at,
        ...changes,
      },
    })
    await transact(async (tx) => {
      await store.insertTotp(tx, app('t1'))
      await store.insertTotp(tx, app('t2', { userId: 'u2', confirmedAt: at, lastStep: null }))
    })
    await transact((tx) => store.insertTotp(tx, app('t3'))).catch(() => undefined)
    await store.findTotp(db, 'u')
    await store.findTotp(db, 'another')
    await store.findUnproven(db, 'u')
    await store.findUnproven(db, 'u2')
    // One unproven app can exist beside the active one, but not two.
    await transact((tx) => store.insertTotp(tx, app('t4', { userId: 'u2' })))
    await transact((tx) => store.insertTotp(tx, app('t5', { userId: 'u2' }))).catch(() => undefined)
    await store.findTotp(db, 'u2')
    await store.findUnproven(db, 'u2')
    await transact((tx) => store.deleteUnproven(tx, 'u2'))
    await store.unprovenBefore(at)
    await store.unprovenBefore(later)
    await transact(async (tx) => {
      await store.setSession(tx, 't1', 'of another ⚑')
      await store.setSession(tx, 'unknown', 'of another ⚑')
      // A code of an unproven app is not accepted.
      await store.claimStep(tx, 't1', 9)
      await store.confirm(tx, 't1', 10, later)
      await store.confirm(tx, 't1', 11, later)
      for (const step of [10, 11, 11, 2_147_483_647]) await store.claimStep(tx, 't1', step)
      await store.claimStep(tx, 't2', 1)
      await store.claimStep(tx, 'none', 1)
      await store.deleteUnproven(tx, 'u')
    })
    await store.findTotp(db, 'u')
    await store.ownApps.read(db, { id: 'u', verifiedEmail: undefined })
    await transact(async (tx) => {
      await store.deleteProven(tx, 'u', 't2')
      await store.deleteProven(tx, 'u', 't1')
      await store.insertTotp(tx, app('t4'))
      await store.deleteProven(tx, 'u', 't4')
      await store.deleteUnproven(tx, 'u')
      await store.deleteTotp(tx, 'u2')
      await store.deleteTotp(tx, 'u2')
    })
  },
  { uncalled: ['contextOf'] },
)
