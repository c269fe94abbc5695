import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { parseEvent } from '../../../src/billing/events/parse.ts'
import type { EventType } from '../../../src/billing/events/table.ts'
import { insertForgotten, removeContent, updateQuarantined } from '../../../src/billing/ingest/store/deliveries.ts'
import type { SimulationOptions } from '../../../src/billing/simulator/build.ts'
import { lockCustomer } from '../../../src/billing/state/store/entities.ts'
import { readPrepared } from '../../../src/core/db/database.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { eventOf } from '../../support/billing.ts'
import { clearBilling, clearState, stateOf, stateTables, storeDelivery } from '../../support/billing-state.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import { dialect } from '../../support/database.ts'
import { overlap } from '../../support/overlap.ts'
import { eventually } from '../../support/queue.ts'
import { statementsOf } from '../../support/statements.ts'
import { bodyOf, secret, send } from './sender.ts'

let t: TestApp
let other: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret], retentionDays: 30, maxBodyBytes: 4_194_304 } } })
  other = await t.node()
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})
beforeEach(() => clearBilling(t))

const at = (minute: number) => new Date(Date.now() - 3_600_000 + minute * 60_000)
const table = (name: string) => t.app.core.db.knex(name)
const rebuild = (dryRun = false) => t.app.billing.state.rebuild(systemPrincipal('test'), { dryRun })
const nothingWrong = { corrected: 0, removed: 0, restored: 0, snapshots: 0 }

interface Delivery {
  readonly id: string
  readonly body: string
}
const deliveryOf = (type: EventType, options: Partial<SimulationOptions>): Delivery => ({
  id: randomUUID(),
  body: bodyOf(type, options),
})
const sendTo = async (node: TestApp, { id, body }: Delivery) => {
  const { status, text } = await send(node.url, body, { id })
  expect([200, 202], text).toContain(status)
}

const types: readonly EventType[] = [
  'customer.created',
  'subscription.created',
  'subscription.active',
  'order.created',
  'order.paid',
  'benefit_grant.created',
  'customer.state_changed',
  'subscription.past_due',
  'subscription.updated',
  'product.updated',
  'subscription.revoked',
  'benefit_grant.revoked',
]
/** All events of a customer. Products and benefits are shared by all customers. */
const lifeOf = (customerId: string): readonly Delivery[] =>
  types.map((type, index) => deliveryOf(type, { customerId, email: `${customerId}@example.com`, at: at(index) }))

testOnBoth('two nodes that apply the same events at once, each event twice, end with the same state as one node', async () => {
  const customers = ['ann', 'bob', 'cem', 'dia'].map((name) => `${name}-${randomUUID()}`)
  const deliveries = customers.flatMap(lifeOf)
  const mixed = [...deliveries, ...deliveries].sort((a, b) => (a.id < b.id ? -1 : 1))
  await Promise.all(mixed.map((delivery, index) => sendTo(index % 2 === 0 ? t : other, delivery)))
  const atOnce = await stateOf(t)
  await clearBilling(t)
  for (const delivery of deliveries) await sendTo(t, delivery)
  expect(await stateOf(t)).toEqual(atOnce)
  expect(await table('billing_delivery')).toHaveLength(deliveries.length)
  // Shared entities are written in a fixed order, so the transactions do not deadlock.
  if (dialect === 'postgres')
    expect(await table('pg_stat_database').whereRaw('datname = current_database()').first('deadlocks')).toEqual({ deadlocks: 0 })
})

testOnBoth.each([
  ['older', 2],
  ['newer', 4],
])(
  'the newer of two versions of a product stays when two transactions read one version, even if the second has an %s version',
  async (_, minute) => {
    const name = (number: number) => `Pro ${number}`
    const productUpdate = (number: number) => {
      const event = eventOf('product.updated', { productId: 'contended', at: at(number) })
      return { ...event, data: { ...event.data, name: name(number) } }
    }
    await sendTo(t, { id: randomUUID(), body: JSON.stringify(productUpdate(1)) })
    const parsed = parseEvent(productUpdate(3))
    if (!parsed.ok) throw new Error(parsed.message)
    await overlap(
      [t, other],
      async (tx) => t.app.billing.state.apply(tx, [{ event: parsed.event, delivery: await storeDelivery(tx) }]),
      () => sendTo(other, { id: randomUUID(), body: JSON.stringify(productUpdate(minute)) }),
    )
    const { data } = await table('billing_product').where({ id: 'contended' }).first('data')
    expect(JSON.parse(data).name).toBe(name(Math.max(3, minute)))
  },
)

test('a product can have more benefits than a statement can have parameters', async () => {
  const event = eventOf('product.updated', { productId: 'large' })
  const [benefit] = event.data['benefits'] as readonly object[]
  const benefits = Array.from({ length: 8_500 }, (_, number) => ({ ...benefit, id: `benefit-${number}` }))
  await sendTo(t, { id: randomUUID(), body: JSON.stringify({ ...event, data: { ...event.data, benefits } }) })
  expect(await table('billing_benefit').whereLike('id', 'benefit-%').pluck('id')).toHaveLength(8_500)
})

describeOnBoth('a rebuild of the billing state', () => {
  const purchases = async (count: number) => {
    const customers = Array.from({ length: count }, () => randomUUID())
    for (const customerId of customers) for (const delivery of lifeOf(customerId).slice(0, 6)) await sendTo(t, delivery)
    return customers
  }

  test('a rebuild derives the same rows from nothing, and a second rebuild finds no difference', async () => {
    await purchases(3)
    const before = await stateOf(t)
    expect(await rebuild(true)).toMatchObject({ ...nothingWrong, deliveries: 18, customers: 3 })
    await clearState(t)
    expect(await rebuild()).toMatchObject({ deliveries: 18, customers: 3 })
    expect(await stateOf(t)).toEqual(before)
    expect(await rebuild(true)).toMatchObject(nothingWrong)
  })

  test('a rebuild corrects a changed row, removes a row without a delivery, and restores a deleted row', async () => {
    const [ann = '', bob = '', cem = ''] = await purchases(3)
    const before = await stateOf(t)
    await table('billing_subscription').where({ customer_id: ann }).update({ data: '{}' })
    const [row] = await table('billing_grant').where({ customer_id: bob })
    await table('billing_grant').insert({ ...row, id: 'invented', version: '1|9' })
    await table('billing_order').where({ customer_id: cem }).delete()
    await table('billing_customer').where({ id: cem }).update({ snapshot: '{}' })
    expect(await rebuild(true)).toMatchObject({ corrected: 1, removed: 1, restored: 2 })
    expect(await stateOf(t)).not.toEqual(before)
    expect(await rebuild()).toMatchObject({ corrected: 1, removed: 1, restored: 2 })
    expect(await stateOf(t)).toEqual(before)
  })

  testOnBoth('a rebuild during deliveries on two nodes loses no delivery, and no reader sees an empty state', async () => {
    const [ann = ''] = await purchases(1)
    const customers = Array.from({ length: 5 }, () => randomUUID())
    const deliveries = customers.flatMap(lifeOf)
    // The rebuild has to correct everything while other deliveries arrive.
    await table('billing_subscription').update({ data: '{"id":"tampered","meters":[],"price_ids":[]}' })
    let isRunning = true
    const reading = (async () => {
      while (isRunning) {
        const { snapshot } = await table('billing_customer').where({ id: ann }).first('snapshot')
        expect(JSON.parse(snapshot).grants).toHaveLength(1)
        expect(await table('billing_product')).toHaveLength(1)
      }
    })()
    const sending = Promise.all(deliveries.map((delivery, index) => sendTo(index % 2 === 0 ? t : other, delivery)))
    for (let run = 0; run < 3; run += 1) await rebuild()
    await sending
    isRunning = false
    await reading
    await rebuild()
    const after = await stateOf(t)
    await clearState(t)
    await rebuild()
    expect(await stateOf(t)).toEqual(after)
    expect(await table('billing_customer')).toHaveLength(6)
    expect(await rebuild(true)).toMatchObject({ ...nothingWrong, deliveries: 66 })
  })

  testOnBoth('two simultaneous rebuilds give the same result', async () => {
    await purchases(3)
    const before = await stateOf(t)
    await clearState(t)
    await Promise.all([rebuild(), other.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: false })])
    expect(await stateOf(t)).toEqual(before)
  })

  test('a rebuild gives the same result after retention has deleted unreferenced deliveries', async () => {
    const customerId = randomUUID()
    const life = lifeOf(customerId)
    for (const delivery of life) await sendTo(t, delivery)
    const before = await stateOf(t)
    t.clock.advance({ days: 31 })
    // Retention runs by the task of a node, which then pauses for an hour. A run after `clearState` would find no delivery referenced.
    await eventually(async () => {
      const { due_at } = await table('task').where({ kind: 'billing.retention' }).first('due_at')
      expect(new Date(due_at).getTime()).toBeGreaterThan(Date.now() + 600_000)
    })
    const kept: unknown[] = await table('billing_delivery')
    expect(kept.length).toBeLessThan(life.length)
    await clearState(t)
    await rebuild()
    expect(await stateOf(t)).toEqual(before)
  })

  test('a rebuild restores nothing of a forgotten customer, and keeps the product catalogue', async () => {
    const [ann = '', bob = ''] = await purchases(2)
    await t.app.billing.deliveries.forgetCustomer(systemPrincipal('test'), ann)
    await t.app.billing.deliveries.forgetCustomer(systemPrincipal('test'), bob)
    for (const name of stateTables.slice(0, 6)) expect(await table(name), name).toEqual([])
    const before = await stateOf(t)
    expect(await table('billing_product')).toHaveLength(1)
    await rebuild()
    expect(await stateOf(t)).toEqual(before)
  })
})

testOnBoth('a rebuild does not restore a customer who is forgotten during the rebuild', async () => {
  const customerId = randomUUID()
  for (const delivery of lifeOf(customerId).slice(0, 6)) await sendTo(t, delivery)
  // Gives the rebuild a row to restore, for which it waits for the customer's lock.
  await table('billing_subscription').where({ customer_id: customerId }).delete()
  await overlap(
    [t, other],
    async (tx) => {
      await lockCustomer(tx, customerId)
      await insertForgotten(tx, customerId, new Date())
      await t.app.billing.state.forget(tx, customerId)
      await removeContent(tx, { customerId })
    },
    () => other.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: false }),
  )
  for (const name of stateTables.slice(0, 6)) expect(await table(name), name).toEqual([])
})

testOnBoth('a rebuild skips a delivery that retention deletes during the rebuild', async () => {
  await sendTo(t, deliveryOf('product.updated', { productId: 'old' }))
  await clearState(t)
  await overlap(
    [t, other],
    (tx) => tx.knex('billing_delivery').delete(),
    () => other.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: false }),
  )
  expect(await table('billing_product')).toEqual([])
})

testOnBoth('retention keeps deliveries that are applied while retention runs', async () => {
  const event = eventOf('product.updated', { productId: 'late' })
  const id = randomUUID()
  await sendTo(t, { id, body: JSON.stringify(event) })
  // As after a long time in quarantine.
  await table('billing_delivery').update({ status: 'quarantined', outcome: null })
  await clearState(t)
  t.clock.advance({ days: 31 })
  const parsed = parseEvent(event)
  const [row] = await t.app.billing.deliveries.newest({}, 1)
  if (!parsed.ok || row === undefined) throw new Error('not there')
  await overlap(
    [t, other],
    async (tx) => {
      await updateQuarantined(tx, row.id, { status: 'accepted' })
      await t.app.billing.state.apply(tx, [{ event: parsed.event, delivery: row }])
    },
    () => other.app.billing.deliveries.retention.sweep(),
  )
  expect(await table('billing_product').pluck('id')).toEqual(['late'])
  expect(await table('billing_delivery').pluck('webhook_id')).toEqual([id])
})

testOnBoth('a further event of a known subscription takes five statements in its transaction, including the lock', async () => {
  const customerId = randomUUID()
  for (const delivery of lifeOf(customerId).slice(0, 6)) await sendTo(t, delivery)
  await Promise.all([t.app.jobs.stop(), other.app.jobs.stop()])
  const options = { customerId, email: `${customerId}@example.com`, modifiedAt: undefined }
  const event = JSON.parse(bodyOf('subscription.updated', { ...options, status: 'past_due', at: at(30) }))
  // The embedded entities of the event are unchanged.
  for (const entity of [event.data.customer, event.data.product, ...event.data.product.benefits, ...event.data.product.prices])
    entity.modified_at = '2025-07-02T00:00:00Z'
  for (const price of event.data.prices) price.modified_at = '2025-07-02T00:00:00Z'
  const statements = await statementsOf(t, () => sendTo(t, { id: randomUUID(), body: JSON.stringify(event) }))
  const words = statements
    .map(({ sql }) => sql.split(/\s/, 3).join(' ').toLowerCase())
    .filter((sql) => !/^(begin|commit)/.test(sql))
  expect(words.slice(dialect === 'postgres' ? 1 : 0)).toEqual([
    'insert into billing_delivery',
    "select 'customer' as",
    'insert into billing_subscription',
    'update billing_customer set',
  ])
})

testOnBoth('an event reads as many rows for a customer with forty purchases as for a customer with four', async () => {
  await Promise.all([t.app.jobs.stop(), other.app.jobs.stop()])
  const { db } = t.app.core
  const reads: { readonly sql: string; readonly bindings: readonly unknown[] }[] = []
  const note = (query: { sql: string; bindings: readonly unknown[] }) => {
    if (query.sql.startsWith("select 'customer'")) reads.push(query)
  }
  const rowsReadBy = async (work: () => Promise<unknown>) => {
    reads.length = 0
    db.knex.on('query', note)
    await work()
    db.knex.off('query', note)
    const rows = await Promise.all(
      reads.map(({ sql, bindings }, i) => readPrepared(db, { name: `read_again_${i}_${sql.length}`, sql }, bindings)),
    )
    return rows.flat().length
  }
  const [productId, orderId] = ['pack', 'the-order']
  const readOf = async (purchases: number) => {
    const customerId = randomUUID()
    const mine = { customerId, productId, recurring: false, subscriptionId: `sub-${customerId}` }
    const buy = (id: string, minute: number, type: EventType = 'order.paid', status?: string) =>
      sendTo(t, deliveryOf(type, { ...mine, orderId: `${customerId}-${id}`, at: at(minute), status }))
    await sendTo(t, deliveryOf('subscription.active', { ...mine, recurring: true, productId: 'plan', at: at(0) }))
    await buy(orderId, 1)
    for (let number = 1; number < purchases; number += 1) await buy(String(number), 2)
    const events = [
      () => buy('one-more', 5),
      () => buy('one-more', 6, 'order.updated', 'paid'),
      () => buy(orderId, 7, 'order.refunded'),
      () => sendTo(t, deliveryOf('refund.updated', { ...mine, orderId: `${customerId}-${orderId}`, at: at(8) })),
      () => sendTo(t, deliveryOf('benefit_grant.created', { ...mine, orderId: `${customerId}-${orderId}`, at: at(9) })),
      () => sendTo(t, deliveryOf('subscription.updated', { ...mine, recurring: true, productId: 'plan', at: at(10) })),
      () => sendTo(t, deliveryOf('customer.state_changed', { ...mine, recurring: true, at: at(11) })),
      () => sendTo(t, deliveryOf('customer.updated', { ...mine, at: at(12) })),
    ]
    const counts: number[] = []
    for (const event of events) counts.push(await rowsReadBy(event))
    return counts
  }
  const few = await readOf(4)
  expect(await readOf(40)).toEqual(few)
  expect(Math.max(...few)).toBeLessThan(20)
  expect(await rebuild(true)).toMatchObject(nothingWrong)
})

testOnBoth('two nodes that move one entity between customers at once leave the same snapshots as a rebuild', async () => {
  for (let round = 0; round < 12; round += 1) {
    const [subscriptionId, orderId] = [randomUUID(), randomUUID()]
    const told = (['ann', 'ben', 'cem'] as const).flatMap((name, i) => {
      const customer = { customerId: `${name}-${round}`, email: `${name}${round}@example.com` }
      return [
        deliveryOf('subscription.active', { ...customer, subscriptionId, modifiedAt: at(i).toISOString() }),
        deliveryOf('order.paid', { ...customer, orderId, modifiedAt: at(3 - i).toISOString() }),
      ]
    })
    await Promise.all(told.map((delivery, i) => sendTo(i % 2 === 0 ? t : other, delivery)))
  }
  expect(await rebuild(true)).toMatchObject(nothingWrong)
})

test('a purchase wrongly ended by an empty customer state without a time is reported and restored', async () => {
  const [customerId, empty] = [randomUUID(), randomUUID()]
  const shape = '2025'
  await sendTo(t, deliveryOf('subscription.active', { customerId, shape, at: at(2) }))
  await sendTo(t, { id: empty, body: bodyOf('customer.state_changed', { customerId, shape, status: 'canceled', at: at(1) }) })
  await sendTo(t, deliveryOf('customer.state_changed', { customerId, shape, at: at(3) }))
  const before = await stateOf(t)
  const { id } = await table('billing_delivery').where({ webhook_id: empty }).first('id')
  const arrived = new Date().toISOString().replace('Z', '000Z')
  const data = JSON.stringify({ active_subscriptions: [], granted_benefits: [], active_meters: [] })
  const version = `0|${arrived}|2|${empty}|${id}`
  await table('billing_customer_state').where({ id: customerId }).update({ version, delivery_id: id, data })
  expect(await rebuild(true)).toMatchObject({ corrected: 1 })
  expect(await rebuild()).toMatchObject({ corrected: 1, restored: 1 })
  expect(await stateOf(t)).toEqual(before)
  expect(await rebuild(true)).toMatchObject(nothingWrong)
})
