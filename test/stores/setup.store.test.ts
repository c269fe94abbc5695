import * as setup from '../../src/setup/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

compareStore('setup/store', setup, async ({ store, transact, db }) => {
  await store.listDismissed(db)
  await transact(async (tx) => {
    await store.insertDismissal(tx, 'mail', at)
    await store.insertDismissal(tx, 'mail', new Date(at.getTime() + 1))
    await store.insertDismissal(tx, 'backup', at)
    await store.deleteDismissal(tx, 'backup')
    await store.deleteDismissal(tx, 'backup')
  })
  await store.listDismissed(db)
})
