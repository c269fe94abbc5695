import * as rebuild from '../../src/billing/state/store/rebuild.ts'
import type { EntityVersion } from '../../src/billing/state/versions.ts'
import { at, delivery } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const created_at = '2026-01-01T00:00:00.000000Z'
const stored = { data: '{"text":"ü"}', version: '1', delivery_id: 'a' }
const customer: EntityVersion = {
  ...{ kind: 'customer', id: '1', version: '2', deliveryId: 'b', customerId: '1', data: { text: 'é' } },
  columns: { email: null, external_id: 'x', is_deleted: true, created_at },
}

compareStore(
  'billing/state/store/rebuild',
  rebuild,
  async ({ store, db, transact, insert, note }) => {
    const deliver = (id: string, received_at: Date, status = 'accepted', body = Buffer.from([0, 39, 255])) =>
      insert('billing_delivery', { ...delivery, id, webhook_id: id, received_at, status, body })
    await deliver('b', at)
    await deliver('a', later)
    await deliver('c', later, 'accepted', Buffer.alloc(0))
    await deliver('d', at, 'quarantined')
    await store.listAccepted(db, undefined, 10)
    await store.listAccepted(db, undefined, 1)
    await store.listAccepted(db, { receivedAt: at, id: 'b' }, 10)
    await store.listAccepted(db, { receivedAt: later, id: 'a' }, 10)
    await transact(async (tx) => {
      await store.lockAccepted(tx, 'a')
      await store.lockAccepted(tx, 'd')
      await store.lockAccepted(tx, 'A')
    })
    await store.listByIds(db, ['c', 'd', 'unknown'])
    await store.listByIds(db, [])

    const row = { ...stored, email: 'a@example.com', is_deleted: false, snapshot: '{}', created_at }
    for (const id of ['2', '1', '3']) await insert('billing_customer', { ...row, id })
    await insert('billing_order', { ...stored, id: 'o', customer_id: '1', created_at })
    await store.listEntities(db, 'order', '', 10)
    await store.listEntities(db, 'product', '', 10)
    await store.listVersions(db, 'customer', ['1', '3', 'unknown'])
    await store.listVersions(db, 'customer', [])
    await store.listCustomerIds(db, '', 2)
    await store.listCustomerIds(db, '2', 10)

    // A flag has the type of the database, which `isSame` accepts.
    const read = async (after: string, limit: number) => rebuild.listEntities(db, 'customer', after, limit)
    const shown = async (after: string, limit: number) =>
      note(
        'listEntities',
        (await read(after, limit)).map(({ row: raw, ...known }) => ({
          ...known,
          row: { ...raw, is_deleted: Boolean(raw['is_deleted']) },
        })),
      )
    await shown('', 10)
    await shown('', 1)
    await shown('1', 10)
    const [first] = await read('', 1)
    if (first === undefined) throw new Error('no customer')
    note('isSame', rebuild.isSame(first, customer))
    await transact(async (tx) => {
      await store.replaceEntity(tx, 'customer', { ...first, version: '0' }, customer)
      await store.replaceEntity(tx, 'customer', first, customer)
    })
    for (const one of await read('', 2)) {
      note('isSame', rebuild.isSame(one, customer))
      note('isSame', rebuild.isSame(one, { ...customer, columns: { ...customer.columns, is_deleted: false } }))
    }
    await shown('', 10)
    await transact(async (tx) => {
      await store.deleteEntity(tx, 'customer', first)
      await store.deleteEntity(tx, 'customer', { ...first, version: '2' })
      await store.deleteEntity(tx, 'customer', { ...first, version: '2' })
    })
    await store.listCustomerIds(db, '', 10)
  },
  { unordered: ['listByIds'] },
)
