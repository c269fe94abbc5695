import * as recoveries from '../../src/authentication/second-factor-recovery/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)

compareStore(
  'authentication/second-factor-recovery/store',
  recoveries,
  async ({ store, db, transact, seed, insert, compareRows }) => {
    await seed('user')
    for (const id of ['u2', 'u3']) await insert('user', { id, email: `${id}@example.com` })
    const row = (id: string, changes: Partial<recoveries.RecoveryRow> = {}): recoveries.RecoveryRow => ({
      ...{
        id,
        userId: 'u',
        stage: 'requested',
        requester: 'Größe/1.0, 10.0.0.0/24',
        requestedAt: at,
        readyAt: later,
        endsAt: null,
      },
      ...{ codeHash: null, codeExpiresAt: null, codeAttempts: 0, ...changes },
    })
    const ready = { stage: 'ready', endsAt: latest, codeHash: 'c', codeExpiresAt: later } as const
    await transact(async (tx) => {
      await store.replaceRecovery(tx, row('r1', { endsAt: at }))
      await store.replaceRecovery(tx, row('r2'))
      await store.replaceRecovery(tx, row('r3', { userId: 'u2', ...ready, codeAttempts: 1 }))
      await store.replaceRecovery(tx, row('r4', { userId: 'u3', ...ready }))
    })
    await transact((tx) => store.replaceRecovery(tx, row('r5', { userId: 'nobody' }))).catch(() => undefined)
    for (const id of ['r1', 'r2', 'r3']) await store.findRecovery(db, id)
    for (const id of ['u', 'another']) await store.findRecoveryOf(db, id)
    await transact(async (tx) => {
      const next = { stage: 'halfway', readyAt: latest, endsAt: null } as const
      await store.advance(tx, row('r2'), next)
      await store.advance(tx, row('r2'), next)
      await store.advance(tx, row('r3', ready), { ...next, stage: 'ready', endsAt: latest })
      await store.setCode(tx, 'r2', 'd', latest, at)
      await store.setCode(tx, 'r3', 'e', latest, latest)
      for (const _ of [1, 2]) await store.countCodeAttempt(tx, row('r3', { codeHash: 'c' }), 2)
      await store.countCodeAttempt(tx, row('r3', { codeHash: 'another' }), 9)
    })
    await compareRows()
    await transact(async (tx) => {
      // The wait is not over yet.
      await store.useRecovery(tx, row('r2', { codeHash: 'd' }), at)
      await store.useRecovery(tx, row('r3', { codeHash: 'another' }), at)
      await store.useRecovery(tx, row('r3', { codeHash: 'c' }), later)
      await store.useRecovery(tx, row('r3', { codeHash: 'c' }), later)
      await store.endRecovery(tx, 'r2', at)
      await store.endRecovery(tx, 'r2', at)
      await store.endRecovery(tx, 'r4', latest)
    })
    await compareRows()
    await store.endedBefore(new Date(at.getTime() - 1))
    await store.endedBefore(later)
    await transact(async (tx) => {
      await store.replaceRecovery(tx, row('r6'))
      await store.deleteOpen(tx, later)
      await store.deleteOpen(tx, later)
    })
  },
)
