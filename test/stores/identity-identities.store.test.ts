import { expect } from 'vitest'
import type { Sealed } from '../../src/core/crypto.ts'
import * as identities from '../../src/identity/identities/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const identity = (id: string, changes: Partial<identities.IdentityRow> = {}): identities.IdentityRow => ({
  ...{ id, accountId: id, providerId: 'google', userId: 'u', accessToken: null, refreshToken: null, idToken: null },
  ...{ accessTokenExpiresAt: null, refreshTokenExpiresAt: null, scope: null, deviceId: null, refreshClaimedUntil: null },
  ...{ createdAt: at, updatedAt: at, ...changes },
})
const tokens = {
  ...{ accessToken: '01aa' as Sealed, refreshToken: '01bb' as Sealed, idToken: '01cc' as Sealed, scope: 'openid email' },
  ...{ accessTokenExpiresAt: later, refreshTokenExpiresAt: later, deviceId: 'é' },
}

compareStore(
  'identity/identities/store',
  identities,
  async ({ store, db, transact, seed, insert, own }) => {
    await seed('user')
    await insert('user', { id: 'v', email: 'v@example.com', banned_at: at, ban_expires_at: later, second_factor_since: at })
    const second = identity('b', { createdAt: later })
    await transact(async (tx) => {
      await store.insertIdentity(tx, identity('a', tokens))
      await store.insertIdentity(tx, second)
      await store.insertIdentity(tx, identity('C', { providerId: 'vk', userId: 'v' }))
      await store.insertCredential(tx, 'p', 'u', 'hash', new Date(at.getTime() - 1))
      await store.insertCredential(tx, 'q', 'v', 'hash', later)
    })
    await expect(transact((tx) => store.insertIdentity(tx, identity('d', { accountId: 'a' })))).rejects.toThrow()
    await store.findIdentity(db, 'google', 'a')
    await store.findIdentity(db, 'google', 'A')
    await store.findIdentity(db, 'credential', 'u')
    await store.countAtProvider(db, 'google', 10)
    await store.countAtProvider(db, 'google', 1)
    await store.countAtProvider(db, 'Google', 10)
    await store.findById(db, 'C')
    await store.findById(db, 'c')
    await store.listAll(db, 'u')
    await store.countMethods(db, 'u')
    await store.countMethods(db, 'unknown')
    await store.listIdentities(db, 'u')
    await store.listLongIds(db, 'google', 1, 10)
    await store.listLongIds(db, 'google', 1, 1)
    await store.listLongIds(db, 'google', 50, 10)
    await own('ownIdentities', identities.ownIdentities, { id: 'u', verifiedEmail: undefined })

    await transact(async (tx) => {
      await store.updateTokens(tx, 'b', tokens, later)
      await store.updateTokens(tx, 'b', { refreshToken: null }, later)
      await store.updateTokens(tx, 'unknown', tokens, later)
      // The row has changed since it was read.
      await store.claimRefresh(tx, second, at, later)
      await store.claimRefresh(tx, { ...second, updatedAt: later }, at, later)
      await store.claimRefresh(tx, { ...second, updatedAt: later }, at, later)
      await store.claimRefresh(tx, { ...second, updatedAt: later }, later, new Date(later.getTime() + 1))
      await store.settleRefresh(tx, 'b', later, {})
      await store.settleRefresh(tx, 'b', new Date(later.getTime() + 1), { scope: null, updatedAt: at })
    })
    await store.findById(db, 'b')

    await store.findCredential(db, 'u')
    await store.findCredential(db, 'unknown')
    await transact(async (tx) => {
      await store.lockCredential(tx, 'u')
      await store.lockCredential(tx, 'v')
      await store.lockCredential(tx, 'unknown')
      await store.replaceHash(tx, 'p', 'Hash', 'new', later)
      await store.replaceHash(tx, 'p', 'hash', 'new', later)
      await store.setHash(tx, 'v', 'newer', later)
      await store.setHash(tx, 'unknown', 'newer', later)
    })
    await store.listAll(db, 'v')
    await store.findCredential(db, 'u')

    await transact(async (tx) => {
      await store.deleteIdentity(tx, 'b')
      await store.deleteIdentity(tx, 'b')
      await store.deleteAllOf(tx, 'u', [{ id: 'p' }])
      await store.listAll(tx, 'u')
      await store.deleteCredential(tx, 'u')
      await store.deleteCredential(tx, 'u')
      await store.deleteAllOf(tx, 'v', [])
      await store.listAll(tx, 'v')
    })
  },
  { uncalled: ['contextOf'] },
)
