import * as codes from '../../src/authentication/methods/recovery-codes/store.ts'
import type { Sealed } from '../../src/core/crypto.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)

compareStore(
  'authentication/methods/recovery-codes/store',
  codes,
  async ({ store, db, transact, seed, insert, compareRows }) => {
    await seed('user')
    await insert('user', { id: 'u2', email: 'u2@example.com' })
    const list = (id: string, changes: Partial<codes.ListRow> = {}): codes.ListRow => ({
      ...{ id, userId: 'u', key: '01ab' as Sealed, isActive: true, createdAt: at, ...changes },
    })
    await transact(async (tx) => {
      await store.replaceList(tx, list('l1'), ['a'])
      await store.replaceList(tx, list('l2'), ['a', 'A', 'b+/='])
      await store.replaceList(tx, list('l3', { isActive: false }), ['a'])
      await store.replaceList(tx, list('l4', { userId: 'u2', isActive: false }), ['a'])
    })
    await transact((tx) => store.replaceList(tx, list('l5', { userId: 'nobody' }), ['a'])).catch(() => undefined)
    await transact((tx) => store.replaceList(tx, list('l6', { userId: 'u2' }), ['a', 'a'])).catch(() => undefined)
    await store.findActive(db, 'u')
    await store.findActive(db, 'u2')
    await store.isUnused(db, 'l2', 'a')
    await store.isUnused(db, 'l1', 'a')
    await store.countUnused(db, 'l2')
    await store.readUse(db, 'l2')
    await transact(async (tx) => {
      await store.claimCode(tx, 'l2', 'a', latest)
      await store.claimCode(tx, 'l2', 'a', latest)
      await store.claimCode(tx, 'l2', 'A', later)
      await store.claimCode(tx, 'l1', 'a', later)
    })
    await store.isUnused(db, 'l2', 'a')
    await store.countUnused(db, 'l2')
    await store.countUnused(db, 'none')
    await store.readUse(db, 'l2')
    await store.readUse(db, 'none')
    await store.ownLists.read(db, { id: 'u', verifiedEmail: undefined })
    await store.unprovenBefore(at)
    await store.unprovenBefore(later)
    await transact(async (tx) => {
      await store.deleteListsSince(tx, 'u', new Date(latest.getTime() + 1))
      await store.deleteListsSince(tx, 'another', at)
    })
    await compareRows()
    await transact(async (tx) => {
      await store.activate(tx, 'u')
      await store.activate(tx, 'u')
    })
    await compareRows()
    await transact(async (tx) => {
      await store.deleteListsSince(tx, 'u2', at)
      await store.deleteLists(tx, 'u')
      await store.deleteLists(tx, 'u')
    })
  },
  { uncalled: ['contextOf'] },
)
