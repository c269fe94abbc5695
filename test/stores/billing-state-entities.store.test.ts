import { expect } from 'vitest'
import { noPayment } from '../../src/billing/state/payments.ts'
import * as entities from '../../src/billing/state/store/entities.ts'
import type { EntityVersion } from '../../src/billing/state/versions.ts'
import { delivery } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

type Kind = EntityVersion['kind']
const created_at = '2026-01-01T00:00:00.000000Z'
const version = (kind: Kind, id: string, number: number, changes: Partial<EntityVersion> = {}): EntityVersion => ({
  ...{ kind, id, version: `${number}`, deliveryId: 'd', customerId: null, columns: {}, data: { id, text: 'ü', n: null } },
  ...changes,
})
const customer = (id: string, number = 1, email: string | null = `${id}_%@example.com`) =>
  version('customer', id, number, {
    customerId: id,
    columns: {
      ...{ email, external_id: email === null ? null : 'x', is_deleted: email === null, created_at },
      ...entities.snapshotColumns(undefined),
    },
  })
const owned = (
  kind: Kind,
  id: string,
  customerId: string | null,
  number = 1,
  more: Readonly<Record<string, string | null>> = {},
) => version(kind, id, number, { customerId, columns: { customer_id: customerId, ...more, created_at }, data: { id, ...more } })
const state = (id: string, number = 1) => version('customer_state', id, number, { customerId: id })
const order = (id: string, subscription_id: string | null, owner = '1') => owned('order', id, owner, 1, { subscription_id })
const grant = (id: string, order_id: string | null, subscription_id: string | null = null): EntityVersion => ({
  ...owned('grant', id, '1', 1, { order_id }),
  data: { order_id, subscription_id },
})
const refund = (id: string, order_id: string | null) => owned('refund', id, '1', 1, { order_id })

compareStore(
  'billing/state/store/entities',
  entities,
  async ({ store, db, transact, seed, insert, note }) => {
    await seed('billing_delivery')
    for (const id of ['e', 'f']) await insert('billing_delivery', { ...delivery, id, webhook_id: id })
    await transact(async (tx) => {
      await store.lockCustomer(tx, '1')
      await store.lockCustomers(tx, ['2', '1'], { wait: true })
      await store.lockCustomers(tx, ['3', '1'], { wait: false })
      await store.lockCustomers(tx, [], { wait: false })
      await store.upsertVersions(tx, [])
      await store.upsertVersions(tx, [customer('1'), customer('2', 1, null), state('1'), state('2')])
      await store.upsertVersions(
        tx,
        ['s1', 's2', 's3'].map((id) => owned('subscription', id, id === 's3' ? '2' : '1')),
      )
      await store.upsertVersions(tx, [order('o1', null), order('o2', 's1'), order('o3', null, '2'), order('o4', null)])
      await store.upsertVersions(tx, [grant('g1', 'o1'), grant('g2', null, 's1'), refund('r1', 'o1'), refund('r2', null)])
      await store.upsertVersions(
        tx,
        [...(['product', 'benefit', 'meter'] as const)].map((kind) => version(kind, `${kind}`, 1)),
      )
    })
    const all = async () => store.readCustomers(db, ['1', '2', 'unknown'])
    await all()
    await store.readCustomers(db, [])
    // Newer, older and equally old versions. Versions are compared as bytes.
    await transact(async (tx) => {
      await store.upsertVersions(tx, [customer('1', 2, 'new@example.com'), customer('2', 0, 'old@example.com')])
      await store.upsertVersions(tx, [{ ...state('1'), version: 'a', deliveryId: 'e' }])
      await store.upsertVersions(tx, [{ ...state('1'), version: 'B', deliveryId: 'f' }])
      await store.upsertVersions(tx, [{ ...owned('subscription', 's1', '1', 2), deliveryId: 'f' }])
    })
    await all()
    const moved = owned('subscription', 's2', '2', 3)
    await expect(transact((tx) => store.upsertVersions(tx, [moved]))).rejects.toThrow()
    await expect(transact((tx) => store.upsertVersions(tx, [moved, owned('subscription', 's3', '2', 3)]))).rejects.toThrow()
    await transact(async (tx) => {
      await store.deleteMoved(tx, [])
      await store.deleteMoved(tx, [{ kind: 'subscription', id: 's2', version: '0' }])
      await store.deleteMoved(tx, [{ kind: 'subscription', id: 's2', version: '1' }])
      await store.upsertVersions(tx, [moved])
    })
    await all()

    const named: readonly (readonly EntityVersion[])[] = [
      [],
      [customer('1')],
      [state('1')],
      [owned('subscription', 's1', '1')],
      [grant('g1', 'o1', 's1')],
      [order('o2', 's1'), order('unknown', null)],
      [refund('r1', 'o1'), refund('r2', null)],
      [version('product', 'product', 1), version('benefit', 'benefit', 1), version('meter', 'unknown', 1)],
    ]
    // Rows without an id only say that something is stored, because `limit 1` has no order.
    const read = async (customerIds: readonly string[], versions: readonly EntityVersion[]) => {
      const rows = await entities.readNamed(db, customerIds, versions)
      const known = rows.map((row) => JSON.stringify(row.id === '' ? { kind: row.kind, id: '' } : row))
      note('readNamed', known.toSorted())
    }
    for (const versions of named) await read(['1', '2'], versions)
    await read([], named.flat())

    const snapshot = (text: string, renewalDueAt: string | null = null) => ({
      ...{ json: JSON.stringify({ text }), renewalDueAt },
      payment: renewalDueAt === null ? noPayment : ({ status: 'active', currency: 'eur', yearly: 10 ** 12 } as const),
    })
    const snapshots = async (...list: readonly (readonly [string, ReturnType<typeof snapshot>])[]) => {
      await transact((tx) => store.writeSnapshots(tx, new Map(list)))
      await all()
      note(
        'writeSnapshots',
        await db
          .knex('billing_customer')
          .orderBy('id')
          .select(
            'renewal_due_at',
            'payment_status',
            'recurring_currency',
            db.knex.raw('cast(recurring_yearly as text) as yearly'),
          ),
      )
    }
    await snapshots()
    await snapshots(['1', snapshot('ü', created_at)])
    await snapshots(['1', snapshot('a')], ['2', snapshot('b')])
    await snapshots(['1', snapshot('c')], ['2', snapshot('d', created_at)], ['unknown', snapshot('e')])
    await store.listReferenced(db, ['d', 'e', 'f', 'unknown'])
    await store.listReferenced(db, [])
    await transact(async (tx) => {
      await store.deleteCustomer(tx, '1')
      await store.deleteCustomer(tx, 'unknown')
    })
    await all()
    await store.listReferenced(db, ['d', 'e', 'f'])
  },
  {
    uncalled: ['tableOf', 'snapshotColumns', 'dataOfRow', 'snapshotIn'],
    unordered: ['readCustomers', 'listReferenced'],
  },
)
