import * as dryRun from '../../src/billing/dry-run/store.ts'
import { snapshotOf } from '../support/billing-state.ts'
import { compareStore } from '../support/stores.ts'

const customer = { is_deleted: false, created_at: '', data: '{}', version: '', delivery_id: 'd' }
const many = Array.from({ length: 65 }, (_, i) => (i === 0 ? 'u' : `${i} unknown`))

compareStore('billing/dry-run/store', dryRun, async ({ store, db, seed, insert }) => {
  await seed('user', 'organization', 'billing_delivery')
  await insert('user', { id: 'v', email: 'v@example.com' })
  for (const id of ['1', '2', '3', '4', '5'])
    await insert('billing_customer', { ...customer, id, snapshot: snapshotOf(id, { grants: ['ü'] }) })
  await insert('billing_link', { customer_id: '3', user_id: 'u' })
  await insert('billing_link', { customer_id: '2', user_id: 'u' })
  await insert('billing_link', { customer_id: '4', organization_id: 'o', linked_by: 'operator' })
  await insert('billing_link', { customer_id: '1' })
  await insert('billing_link', { customer_id: '0', user_id: 'v' })
  await store.listCustomers(db, '', 10)
  await store.listCustomers(db, '2', 2)
  await store.listCustomers(db, '5', 2)
  for (const ids of [['u', 'v'], ['u', 'v', 'unknown'], ['U'], [], many]) {
    await store.listFirstCustomers(db, 'user', ids)
    await store.listSnapshotsOf(db, 'user', ids)
  }
  await store.listFirstCustomers(db, 'organization', ['o', 'u'])
  await store.listSnapshotsOf(db, 'organization', ['o', 'u'])
  await store.listSnapshots(db, ['5', '1', '0'])
  await store.listSnapshots(db, [])
})
