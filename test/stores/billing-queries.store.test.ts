import * as queries from '../../src/billing/queries/store.ts'
import { entityData, snapshotOf, stateData } from '../support/billing-state.ts'
import { compareStore } from '../support/stores.ts'

const time = (hour: number) => `2026-01-01T0${hour}:00:00.000000Z`
const stored = { version: '', delivery_id: 'd' }
const page = { sort: 'createdAt', order: 'asc', limit: 10, after: undefined } as const

compareStore('billing/queries/store', queries, async ({ store, db, seed, insert }) => {
  await seed('user', 'organization', 'billing_delivery')
  const customer = (id: string, hour: number, changes: Readonly<Record<string, unknown>> = {}) =>
    insert('billing_customer', {
      ...{ ...stored, id, is_deleted: false, created_at: time(hour), snapshot: snapshotOf(id) },
      ...{ data: JSON.stringify({ name: 'ü', metadata: { n: Number.MAX_SAFE_INTEGER } }), ...changes },
    })
  await customer('1', 2, {
    ...{ email: 'a_%@example.com', external_id: 'x', renewal_due_at: time(1) },
    ...{ payment_status: 'active', recurring_currency: 'eur', recurring_yearly: 12_000 },
    search_text: '  unal  a_%@example.com  @example.com',
  })
  await customer('2', 1, { email: 'a_%@example.com', external_id: 'X', renewal_due_at: time(1) })
  await customer('3', 2, { external_id: 'x', is_deleted: true, renewal_due_at: time(3) })
  await customer('4', 3, { search_text: '  example' })
  await customer('5', 3)
  await insert('billing_link', { customer_id: '1', user_id: 'u' })
  await insert('billing_link', { customer_id: '3', organization_id: 'o', linked_by: 'operator' })
  await insert('billing_link', { customer_id: '4', user_id: 'u', linked_by: 'external_id' })
  await insert('billing_link', { customer_id: '2' })
  await db.knex('user').update({ name: 'Ünal' })

  for (const kind of ['subscription', 'grant', 'order'] as const) {
    const entity = (id: string, customer_id: string | null, hour: number) =>
      insert(`billing_${kind}`, {
        ...stored,
        id,
        customer_id,
        created_at: time(hour),
        data: JSON.stringify({ ...entityData, id, kind, n: null }),
      })
    await entity('a', '1', 1)
    await entity('b', '1', 1)
    await entity('c', '2', 2)
    await entity('d', null, 2)
    await store.listOwned(db, kind, ['1', '2'], { limit: 10, offset: 0 })
    await store.listOwned(db, kind, ['1', '2'], { limit: 1, offset: 1 })
    await store.listOwned(db, kind, [], { limit: 1, offset: 0 })
    await store.listKnown(db, kind, ['a', 'd', 'A'])
    await store.listKnown(db, kind, [])
  }
  for (const id of ['2', '1'])
    await insert('billing_customer_state', { ...stored, id, data: JSON.stringify({ ...stateData, id }) })
  await store.listStates(db, ['1', '2', 'unknown'])
  await store.listStates(db, [])
  for (const kind of ['product', 'benefit', 'meter'] as const) {
    for (const id of ['p', 'q'])
      await insert(`billing_${kind}`, { ...stored, id, data: JSON.stringify({ id, name: 'ü', description: 'ü' }) })
    await store.listCatalogue(db, kind, ['p', 'p', 'q', 'P'])
    await store.listCatalogue(db, kind, [])
  }
  const [person, nobody] = [
    { userId: 'u', organizationId: null },
    { userId: null, organizationId: null },
  ]
  await store.listOwnerNames(db, [person, person, { userId: null, organizationId: 'o' }, nobody])
  await store.listOwnerNames(db, [nobody])
  for (const id of ['1', '2', '3', 'unknown']) await store.findCustomer(db, id)

  for (const order of ['asc', 'desc'] as const) {
    await store.pageOfOverdue(db, time(3), { ...page, order })
    await store.pageOfOverdue(db, time(4), { ...page, order, limit: 1 })
    await store.pageOfOverdue(db, time(4), { ...page, order, after: { value: time(1), id: '2' } })
  }
  for (const most of [10, 1]) await store.countOverdue(db, time(4), most)
  await store.countOverdue(db, time(1), 10)
  await store.listCustomersOf(db, { userId: 'u' }, 10)
  await store.listCustomersOf(db, { userId: 'u' }, 1)
  await store.listCustomerNames(db, ['1', 'unknown'])
  await store.listSnapshots(db, ['1', 'unknown'])
  await store.sumPayments(db)
  await store.listCustomersOf(db, { organizationId: 'o' }, 10)
  await store.listCustomersOf(db, { organizationId: 'u' }, 10)

  const filters: readonly queries.CustomerFilter[] = [
    {},
    { email: 'a_%@example.com' },
    { email: 'A_%@example.com' },
    { externalId: 'x' },
    { email: 'a_%@example.com', externalId: 'x' },
    { isUnlinked: true },
    { search: 'xampl' },
    { search: 'a_%@example.com', isUnlinked: false },
    { search: 'xamp', payment: 'active' },
    { search: 'zzz' },
    { isUnlinked: false },
    { isUnlinked: false, externalId: 'x' },
    { isUnlinked: true, email: 'a_%@example.com' },
    { payment: 'active' },
    { purchases: { ids: [], meets: () => true } },
    {
      purchases: {
        ids: [
          ['1', '2'],
          ['1', '4'],
        ],
        meets: ({ owner }) => owner === 'user',
      },
    },
    { purchases: { ids: [['2', '3']], meets: ({ owner }) => owner === 'organization' }, isUnlinked: false, externalId: 'x' },
    { purchases: { ids: [[]], meets: () => true }, search: 'xamp' },
    { payment: 'active', currency: 'eur' },
    { currency: 'usd' },
  ]
  for (const filter of filters) {
    await store.totalOfCustomers(db, filter)
    await store.pageOfCustomers(db, filter, page)
    const { found } = await store.pageOfCustomers(db, filter, { ...page, order: 'desc', limit: 1 })
    await store.pageOfCustomers(db, filter, { ...page, order: 'desc', after: found[0]?.position })
    await store.pageOfCustomers(db, filter, { ...page, after: { value: time(2), id: '1' } })
  }
})
