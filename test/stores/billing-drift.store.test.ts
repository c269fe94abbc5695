import * as drift from '../../src/billing/drift/store.ts'
import { compareStore } from '../support/stores.ts'

const customer = { is_deleted: false, snapshot: '{}', created_at: '', data: '{}', version: '', delivery_id: 'd' }

compareStore('billing/drift/store', drift, async ({ store, db, seed, insert }) => {
  await seed('billing_delivery')
  await insert('billing_customer', { ...customer, id: '2', email: 'ü_%@example.com', external_id: 'u' })
  await insert('billing_customer', { ...customer, id: '1', is_deleted: true })
  await insert('billing_customer', { ...customer, id: '3', email: 'c@example.com' })
  await store.listIdentities(db, '', 10)
  await store.listIdentities(db, '', 2)
  await store.listIdentities(db, '2', 10)
  await store.listIdentities(db, '3', 10)
})
