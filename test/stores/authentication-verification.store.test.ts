import * as verification from '../../src/authentication/verification/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)

compareStore(
  'authentication/verification/store',
  verification,
  async ({ store, db, transact, seed, insert, compareRows }) => {
    await seed('user')
    await insert('user', { id: 'u2', email: 'ü@example.com' })
    const token = (id: string, identifier: string, changes: Partial<Parameters<typeof store.insertVerification>[1]> = {}) => ({
      ...{ id, identifier, value: `of ${id} ⚑`, expiresAt: later, createdAt: at, updatedAt: at, userId: 'u', ...changes },
    })
    await transact(async (tx) => {
      await store.insertVerification(tx, token('v1', 'reset-password:a'))
      await store.insertVerification(tx, token('v2', 'reset-password:b', { expiresAt: latest }))
      await store.insertVerification(tx, token('v3', 'reset-password:c', { userId: 'u2' }))
      await store.insertVerification(tx, token('v4', 'delete-account-d'))
      await store.insertVerification(tx, token('v5', 'social:e', { userId: null }))
    })
    await transact((tx) => store.insertVerification(tx, token('v6', 'x', { userId: 'nobody' }))).catch(() => undefined)
    await store.findValue(db, 'reset-password:a', at)
    await store.findValue(db, 'reset-password:a', later)
    await store.findValue(db, 'Reset-password:a', at)
    await store.listValues(db, 'u', 'reset-password:', at)
    await store.listValues(db, 'u', 'reset-password:', later)
    for (const prefix of ['recover-account:', 'Reset-password:', 'reset_password:', '%'])
      await store.listValues(db, 'u', prefix, at)
    await store.listVerificationsOf(db, 'u', 'reset-password:')
    await store.listVerificationsOf(db, 'u', 'Reset-password:')
    await transact(async (tx) => {
      await store.deleteVerifications(tx, ['v2', 'unknown'])
      await store.deleteVerifications(tx, [])
      await store.insertVerification(tx, token('v2', 'reset-password:b', { expiresAt: latest }))
    })
    await store.expiredTokens(at)
    await store.expiredTokens(later)
    await transact(async (tx) => {
      for (const now of [later, at, at]) await store.consumeValue(tx, 'social:e', now)
      await store.deleteVerification(tx, 'reset-password:c')
      await store.deleteVerification(tx, 'reset-password:c')
      await store.deleteVerificationsOf(tx, 'u', 'Delete-account-')
      await store.deleteVerificationsOf(tx, 'u', 'reset-password:')
    })
    await compareRows()

    const recovery = (id: string, changes: Partial<verification.RecoveryRow> = {}): verification.RecoveryRow => ({
      ...{ id, userId: 'u', email: 'Old_%@example.com', emailVersion: 1, expiresAt: later, ...changes },
    })
    await transact(async (tx) => {
      await store.insertRecovery(tx, recovery('r1'))
      await store.insertRecovery(tx, recovery('r2', { emailVersion: 2, expiresAt: latest }))
      await store.insertRecovery(tx, recovery('r3', { email: 'another@example.com', emailVersion: 3 }))
      await store.insertRecovery(tx, recovery('r4', { userId: 'u2' }))
    })
    await store.findRecovery(db, 'r1', at)
    await store.findRecovery(db, 'r1', later)
    await store.findRecovery(db, 'none', at)
    await store.listRecoveryAddresses(db, 'u', at)
    await store.listRecoveryAddresses(db, 'u', later)
    await store.listRecoveryAddresses(db, 'u', latest)
    await store.expiredRecoveries(later)
    await transact(async (tx) => {
      await store.consumeRecovery(tx, 'r1')
      await store.consumeRecovery(tx, 'r1')
      await store.deleteLaterRecoveries(tx, recovery('r2', { emailVersion: 2 }))
    })
    await compareRows()
    await transact(async (tx) => {
      await store.deleteRecoveriesOf(tx, 'u')
      await store.deleteRecoveriesOf(tx, 'u')
    })

    const request = (id: string, changes: Partial<verification.MailRequest> = {}): verification.MailRequest => ({
      ...{ id, kind: 'reset', address: 'Ü@example.com', url: null, language: null, createdAt: at, network: '10.0.0.0/24' },
      ...{ deviceId: null, ...changes },
    })
    await transact(async (tx) => {
      await store.insertRequest(
        tx,
        request('m2', { createdAt: later, url: 'https://a.example/?b=%20', language: 7, deviceId: 'd' }),
      )
      await store.insertRequest(tx, request('m1', { kind: 'verification' }))
      await store.insertRequest(tx, request('m3', { createdAt: latest }))
    })
    await store.listRequests(db, 2)
    await store.requestsBefore(at)
    await store.requestsBefore(latest)
    await transact(async (tx) => {
      await store.claimRequest(tx, 'm1')
      await store.claimRequest(tx, 'm1')
      await store.deleteAllRequests(tx)
      await store.deleteAllRequests(tx)
    })
  },
  { unordered: ['listRecoveryAddresses'] },
)
