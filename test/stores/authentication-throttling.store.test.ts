import * as throttling from '../../src/authentication/attempts/throttling/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const earlier = new Date(at.getTime() - 1000)
const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)

compareStore(
  'authentication/attempts/throttling/store',
  throttling,
  async ({ store, db, transact, seed }) => {
    await seed('user')
    const failure = (key: string, changes: Partial<throttling.FailureRow> = {}): throttling.FailureRow => ({
      ...{
        key,
        userId: null,
        recent: 1,
        consecutive: 1,
        lastAt: at,
        waitUntil: null,
        lockedAt: null,
        slowedAt: null,
        ...changes,
      },
    })
    const counted = { userId: 'u', recent: 5, consecutive: 20, waitUntil: later, lockedAt: at, slowedAt: later }
    await transact(async (tx) => {
      await store.lockCount(tx, 'a')
      await store.saveFailures(tx, [failure('a'), failure('Ä %_"', counted), failure('b', { userId: 'u', lastAt: later })])
      await store.saveFailures(tx, [])
      // An existing row and a new one.
      await store.saveFailures(tx, [
        failure('a', { recent: 2, consecutive: 30, lastAt: latest }),
        failure('c', { consecutive: 20, lastAt: earlier }),
      ])
      await store.findFailures(tx, ['a', 'Ä %_"', 'A', 'none'])
      await store.findFailures(tx, [])
      await store.findFailures(tx, ['c', ...Array.from({ length: 70 }, (_, i) => `none ${i}`)])
    })
    await store.listFailures(db, 'u')
    await store.listFailures(db, 'another')
    for (const before of [at, later, latest]) {
      await store.failuresBefore(before, 20, false)
      await store.failuresBefore(before, 20, true)
    }
    await store.failuresBefore(new Date(latest.getTime() + 1), 20, true)
    await store.failuresBeyond(1)
    await store.failuresBeyond(3)
    await transact(async (tx) => {
      await store.deleteFailures(tx, ['a', 'none'])
      await store.deleteFailures(tx, [])
      await store.deleteFailuresOfUser(tx, 'u')
      await store.deleteFailuresOfUser(tx, 'u')
    })
  },
  { unordered: ['findFailures'] },
)
