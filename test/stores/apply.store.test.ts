import * as applied from '../../src/apply/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

compareStore('apply/store', applied, async ({ store, db, transact }) => {
  const row = (key: string, changes: Partial<applied.AppliedRow> = {}): applied.AppliedRow => ({
    ...{ kind: 'client', key, objectId: `of ${key}`, source: 'deploy/größe.yaml', isMade: true, isDeclared: true },
    ...{
      form: { name: 'Ünal "%_"', redirectUris: ['https://a.example'], limit: 2 ** 40, logo: null },
      secretHash: null,
      appliedAt: at,
    },
    ...changes,
  })
  const keys = ['b', 'B', 'a/b', 'a-b', 'a_b', 'ab', 'ä', '10', '9']
  await transact(async (tx) => {
    for (const key of keys) await store.insertApplied(tx, row(key))
    // The same key of another kind is a different object.
    await store.insertApplied(tx, row('zz', { kind: 'team', isMade: false, isDeclared: false, form: {}, secretHash: 'hash' }))
    await store.insertApplied(tx, row('zzz', { kind: 'endpoint' }))
  })
  await transact((tx) => store.insertApplied(tx, row('b'))).catch(() => undefined)
  await store.listApplied(db)
  await transact(async (tx) => {
    await store.updateApplied(tx, row('b', { isDeclared: false, form: { name: '' }, secretHash: 'other', source: '' }))
    await store.updateApplied(tx, row('b', { kind: 'team' }))
    await store.deleteApplied(tx, row('B'))
    await store.deleteApplied(tx, row('B'))
    await store.deleteApplied(tx, row('zz'))
  })
  await store.listApplied(db)
})
