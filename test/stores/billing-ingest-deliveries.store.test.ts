import * as deliveries from '../../src/billing/ingest/store/deliveries.ts'
import { at, delivery as row } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const delivery = (id: string, changes: Partial<deliveries.DeliveryRow> = {}): deliveries.DeliveryRow => ({
  ...{ id, endpoint: 'polar', webhookId: `w${id}`, eventType: 'order.paid', customerId: 'c', receivedAt: at, eventAt: null },
  ...{ bodySha256: 'hash', status: 'accepted', outcome: 'applied', issues: [], attempts: 1, appliedAt: null, dismissedAt: null },
  ...{ headers: { 'webhook-id': 'ü' }, body: Buffer.from([0, 39, 255]), ...changes },
})
const page = { sort: 'receivedAt', order: 'desc', limit: 10, after: undefined } as const

compareStore('billing/ingest/store/deliveries', deliveries, async ({ store, db, transact, insert }) => {
  await transact(async (tx) => {
    await store.insertForgotten(tx, 'gone', at)
    await store.insertForgotten(tx, 'gone', time(1))
    await store.insertDeliveries(tx, [])
    await store.insertDeliveries(tx, [delivery('1')])
    // A repeat of the first delivery, and one about a forgotten customer.
    await store.insertDeliveries(tx, [
      delivery('0', { webhookId: 'w1' }),
      delivery('2', { customerId: 'gone', receivedAt: time(1), eventAt: '2026-01-01T00:00:00.000000Z', appliedAt: time(2) }),
      delivery('3', { customerId: null, eventType: null, status: 'quarantined', outcome: null, receivedAt: time(2) }),
      delivery('4', { endpoint: 'other', webhookId: 'w1', receivedAt: time(2), outcome: 'superseded' }),
      delivery('5', { status: 'quarantined', dismissedAt: at, receivedAt: time(3), body: Buffer.alloc(0) }),
    ])
    await store.insertDeliveries(tx, [delivery('6', { webhookId: 'w1' })])
  })
  for (const id of ['1', '2', '3', '0']) await store.findDelivery(db, id)
  await store.listNamedDeliveries(db, ['1', '3', 'unknown'])
  await store.listNamedDeliveries(db, [])
  await store.findSentAs(db, ['polar', 'other'], 'w1')
  await store.findSentAs(db, ['polar'], 'w1')
  await store.findSentAs(db, [], 'w1')
  await transact(async (tx) => {
    await store.findByWebhookId(tx, 'polar', 'w3')
    await store.findByWebhookId(tx, 'polar', 'W3')
    await store.countAttempt(tx, '3')
    await store.countAttempt(tx, '3')
    const issues = [{ path: 'data.ü', expected: 'x', received: 'y' }]
    await store.updateQuarantined(tx, '3', { issues, customerId: 'c' })
    await store.updateQuarantined(tx, '1', { issues })
    await store.updateOutcomes(tx, ['1', '2', 'unknown'], 'ignored')
    await store.updateOutcomes(tx, [], 'applied')
  })

  const filters: readonly deliveries.DeliveryFilter[] = [
    {},
    { status: 'accepted' },
    { status: 'quarantined' },
    { status: 'removed' },
    { endpoint: 'other' },
    { eventType: 'order.paid' },
    { eventType: 'ORDER.paid' },
    { customerId: 'c' },
    { customerId: 'c', status: 'accepted', endpoint: 'polar', eventType: 'order.paid', since: at },
    { since: time(2) },
    { since: time(2), endpoint: 'polar' },
  ]
  for (const filter of filters) {
    await store.pageOfDeliveries(db, filter, page)
    const { found } = await store.pageOfDeliveries(db, filter, { ...page, order: 'asc', limit: 1 })
    await store.pageOfDeliveries(db, filter, { ...page, order: 'asc', after: found[0]?.position })
    await store.pageOfDeliveries(db, filter, { ...page, after: { value: time(2).getTime(), id: '4' } })
  }
  const place = { receivedAt: time(2), id: '3' }
  for (const after of [undefined, { receivedAt: at, id: '1' }, place]) {
    await store.listBodies(db, 'c', after, 10)
    await store.listOld(db, time(3), after, 10)
  }
  await store.listBodies(db, null, undefined, 10)
  await store.listBodies(db, 'c', undefined, 1)
  await store.listOld(db, time(4), undefined, 10)
  await store.listOld(db, time(4), undefined, 1)
  for (const id of ['c', 'gone', 'C']) {
    await store.isKnownCustomer(db, id)
    await store.isForgotten(db, id)
  }
  await transact(async (tx) => {
    await store.lockDeliveries(tx, ['2', '1', 'unknown'])
    await store.removeContent(tx, { id: '2' })
    await store.removeContent(tx, { customerId: 'c' })
    await store.removeContent(tx, { id: 'unknown' })
    await store.findDelivery(tx, '5')
    await store.deleteDeliveries(tx, [])
    await store.deleteDeliveries(tx, ['2', '4', 'unknown'])
    await store.isKnownCustomer(tx, 'gone')
  })
  await store.pageOfDeliveries(db, { status: 'removed' }, page)
  // A row that a page of a thousand candidates does not reach.
  await insert('billing_delivery', { id: 'last', webhook_id: 'last', endpoint: 'rare', received_at: time(9) })
  const before = Array.from({ length: 1_000 }, (_, i) => ({ ...row, id: `many ${i}`, webhook_id: `${i}`, received_at: time(8) }))
  await db.knex.batchInsert('billing_delivery', before, 100)
  const { lookedTo } = await store.pageOfDeliveries(db, { endpoint: 'rare' }, { ...page, order: 'asc' })
  await store.pageOfDeliveries(db, { endpoint: 'rare' }, { ...page, order: 'asc', after: lookedTo })
})
