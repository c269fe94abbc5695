import * as proofs from '../../src/limits/proof-of-work/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)

compareStore('limits/proof-of-work/store', proofs, async ({ store, db, transact, sweep, note }) => {
  await transact(async (tx) => {
    await store.insertUse(tx, 'first', at)
    await store.insertUse(tx, 'first', later)
    await store.insertUse(tx, 'First', later)
  })
  await sweep('usesBefore', proofs.usesBefore(at))
  await sweep('usesBefore', proofs.usesBefore(later))
  note('usesBefore', await db.knex('used_proof_of_work').pluck('id'))
})
