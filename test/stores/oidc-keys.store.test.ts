import type { Sealed } from '../../src/core/crypto.ts'
import * as keys from '../../src/oidc/keys/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const key = (id: string, generation: number, alg = 'RS256'): keys.KeyRow => ({
  ...{ id, alg, generation, publicKey: { kty: 'RSA', n: id }, privateKey: '01ab' as Sealed, createdAt: at, signsFrom: later },
  retiresAt: null,
})

compareStore(
  'oidc/keys/store',
  keys,
  async ({ store, db, transact, sweep }) => {
    await transact(async (tx) => {
      await store.insertKey(tx, key('b', 2))
      await store.insertKey(tx, key('c', 2))
      await store.insertKey(tx, key('d', 3, 'ES256'))
      await store.insertKey(tx, { ...key('a', 1), retiresAt: later })
    })
    await store.listKeys(db)
    await transact(async (tx) => {
      await store.retireKey(tx, 'b', at)
      await store.retireKey(tx, 'b', later)
      await store.retireKey(tx, 'unknown', later)
    })
    await store.listKeys(db)
    await transact(async (tx) => {
      await store.withdrawKey(tx, 'd', at)
      await store.withdrawKey(tx, 'd', at)
      await store.withdrawKey(tx, 'a', at)
      await store.withdrawKey(tx, 'unknown', at)
    })
    await store.listKeys(db)
    await sweep('retiredKeys', keys.retiredKeys(at))
    await sweep('retiredKeys', keys.retiredKeys(later))
    await store.listKeys(db)
  },
  { uncalled: ['contextOf'] },
)
