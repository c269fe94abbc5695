import * as seats from '../../src/billing/seats/store.ts'
import { compareStore } from '../support/stores.ts'

compareStore('billing/seats/store', seats, async ({ store, db, seed, insert }) => {
  await seed('user')
  for (const id of ['a', 'b', 'c', 'd']) await insert('organization', { id, slug: id })
  for (const [customer_id, organization_id] of Object.entries({ 1: 'c', 2: 'a', 3: 'c', 4: 'b', 5: null }))
    await insert('billing_link', { customer_id, organization_id })
  await insert('billing_link', { customer_id: '6', user_id: 'u' })
  for (const order of ['asc', 'desc'] as const) {
    await store.listLinkedOrganizations(db, { order, limit: 10, after: undefined })
    await store.listLinkedOrganizations(db, { order, limit: 1, after: undefined })
    await store.listLinkedOrganizations(db, { order, limit: 10, after: 'b' })
    await store.totalOfLinkedOrganizations(db)
  }
})
