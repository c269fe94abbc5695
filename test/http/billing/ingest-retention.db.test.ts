import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { dialect } from '../../support/database.ts'
import { bodyOf, secret, send } from './sender.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret], retentionDays: 30 } } })
})
afterAll(() => t.stop())

const inbox = () => t.app.billing.deliveries
const about = (customerId: string) => inbox().newest({ customerId }, 100)
const table = (name: string) => t.app.core.db.knex(name)

/** Names of tables that contain a text in any column. */
const tablesWith = async (text: string): Promise<string[]> => {
  const names: string[] = await (dialect === 'postgres'
    ? table('pg_tables').where({ schemaname: 'public' }).orderBy('tablename').pluck('tablename')
    : table('sqlite_master').where({ type: 'table' }).orderBy('name').pluck('name'))
  const found: string[] = []
  for (const name of names) {
    const rows: Record<string, unknown>[] = await table(name)
    const values = rows.flatMap((row) => Object.values(row))
    if (values.some((value) => (Buffer.isBuffer(value) ? value.toString() : String(value)).includes(text))) found.push(name)
  }
  return found
}

test('retention deletes old deliveries that no stored purchase refers to, and keeps the others', async () => {
  const customerId = randomUUID()
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  for (const minutes of [30, 20, 10])
    await send(t.url, bodyOf('customer.updated', { customerId, at: at(minutes), modifiedAt: at(minutes).toISOString() }))
  const quarantinedId = randomUUID()
  await send(t.url, '{}', { id: quarantinedId })
  const [newest] = await about(customerId)
  expect(await about(customerId)).toHaveLength(3)

  t.clock.advance({ days: 29 })
  await inbox().retention.sweep()
  expect(await about(customerId)).toHaveLength(3)
  expect((await inbox().newest({ status: 'quarantined' }, 10)).map(({ webhookId }) => webhookId)).toContain(quarantinedId)

  t.clock.advance({ days: 2 })
  const fresh = randomUUID()
  await send(t.url, bodyOf('product.updated'), { id: fresh })
  await inbox().retention.sweep()
  expect(await about(customerId)).toEqual([newest])
  expect((await inbox().newest({}, 100)).map(({ webhookId }) => webhookId)).toContain(fresh)
})

test('retention keeps a quarantined delivery until an operator dismisses it, even if the delivery is listed, repeated or replayed', async () => {
  const quarantined = () => inbox().newest({ status: 'quarantined' }, 10)
  const webhookId = randomUUID()
  await send(t.url, '{}', { id: webhookId })
  const row = (await quarantined()).find((one) => one.webhookId === webhookId)
  const id = row?.id ?? ''
  await send(t.url, '{}', { id: webhookId })
  await expect(inbox().replay(systemPrincipal('test'), id)).rejects.toMatchObject({ code: 'FAILED_TO_PARSE_EVENT' })
  t.clock.advance({ days: 31 })
  await inbox().retention.sweep()
  expect((await quarantined()).map((one) => one.id)).toContain(id)

  await inbox().dismiss(systemPrincipal('test'), id)
  // A repeated delivery stays dismissed.
  await send(t.url, '{}', { id: webhookId })
  await inbox().retention.sweep()
  expect((await quarantined()).map((one) => one.id)).not.toContain(id)
  await expect(inbox().dismiss(systemPrincipal('test'), id)).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' })
})

test('only a delivery in quarantine can be dismissed', async () => {
  await send(t.url, bodyOf('product.updated'))
  const [accepted] = await inbox().newest({ status: 'accepted' }, 1)
  await expect(inbox().dismiss(systemPrincipal('test'), accepted?.id ?? '')).rejects.toMatchObject({
    code: 'DELIVERY_IS_NOT_QUARANTINED',
  })
})

test('retention deletes old deliveries in batches', async () => {
  const [like] = await table('billing_delivery').limit(1)
  const rows = Array.from({ length: 1_200 }, (_, i) => ({ ...like, id: `old${i}`, webhook_id: `old${i}` }))
  await t.app.core.db.knex.batchInsert('billing_delivery', rows, 50)
  t.clock.advance({ days: 31 })
  await inbox().retention.sweep()
  expect(await table('billing_delivery').whereLike('id', 'old%')).toEqual([])
})

test('retention deletes nothing when billing.retentionDays is not set', async () => {
  const keeping = await t.node({ billing: { secrets: [secret] } })
  const id = randomUUID()
  await send(keeping.url, '{}', { id })
  t.clock.advance({ days: 4_000 })
  await keeping.app.billing.deliveries.retention.sweep()
  expect((await inbox().newest({ status: 'quarantined' }, 10)).map(({ webhookId }) => webhookId)).toContain(id)
  await keeping.stop()
})

testOnBoth(
  'forgetting a customer removes the customer from deliveries and state, and later or repeated deliveries are stored empty',
  async () => {
    const [customerId, otherId] = [randomUUID(), randomUUID()]
    const email = 'forget.me@example.com'
    const first = randomUUID()
    await send(t.url, bodyOf('order.paid', { customerId, email }), { id: first })
    await send(t.url, bodyOf('customer.updated', { customerId, email }))
    // The customer id is also found in a quarantined body.
    const broken = JSON.parse(bodyOf('order.paid', { customerId, email }))
    await send(t.url, JSON.stringify({ ...broken, data: { ...broken.data, total_amount: null } }))
    await send(t.url, bodyOf('order.paid', { customerId: otherId, email: 'other@example.com' }))

    expect(await inbox().forgetCustomer(systemPrincipal('test'), customerId)).toBe(3)
    expect(await t.app.audit.list({ type: 'customer.forgotten' }, 2)).toMatchObject([
      { actorKind: 'system', subjectId: customerId },
    ])
    const later = randomUUID()
    expect(await send(t.url, bodyOf('subscription.active', { customerId, email }), { id: later })).toMatchObject({ status: 202 })
    expect((await send(t.url, bodyOf('subscription.active', { customerId, email }), { id: later })).status).toBe(200)
    expect((await send(t.url, bodyOf('order.paid', { customerId, email }), { id: first })).status).toBe(200)
    expect((await send(t.url, JSON.stringify({ type: 'new.type', data: { customer_id: customerId, email } }))).status).toBe(202)

    const rows = await about(customerId)
    expect(rows).toHaveLength(5)
    for (const row of rows) expect(row).toMatchObject({ status: 'removed', outcome: null, bodySha256: '', issues: [] })
    expect(await tablesWith(email)).toEqual([])
    expect(await table('billing_customer').where({ id: customerId })).toEqual([])
    expect(await table('billing_customer').where({ id: otherId })).toHaveLength(1)
    for (const { id } of rows)
      await expect(inbox().replay(systemPrincipal('test'), id)).rejects.toMatchObject({ code: 'DELIVERY_WAS_REMOVED' })
    // Forgetting a second time changes nothing.
    expect(await inbox().forgetCustomer(systemPrincipal('test'), customerId)).toBe(5)
  },
)

testOnBoth('forgetting a buyer empties their checkouts without a customer id, and keeps checkouts of other buyers', async () => {
  const [customerId, email] = [randomUUID(), 'früh@example.com']
  const checkout = (checkoutId: string, customer_id: string | null, customer_email: string | null) => {
    const event = JSON.parse(bodyOf('checkout.updated', { checkoutId, customerId }))
    // The body is escaped to ASCII, as by many senders.
    return JSON.stringify({ ...event, data: { ...event.data, customer_id, customer_email } }).replaceAll('Ü', '\\u00dc')
  }
  await send(t.url, checkout('led-to-order', null, null))
  await send(t.url, checkout('became-theirs', null, 'early@example.com'))
  await send(t.url, checkout('became-theirs', customerId, 'early@example.com'))
  await send(t.url, checkout('abandoned', null, 'FRÜH@example.com'))
  await send(t.url, `{"type":"order.paid","data":{"customer":{"id":"${customerId}","email":"early@example.com"`)
  await send(t.url, checkout('somebody-else', null, 'not-early@example.com'))
  const order = JSON.parse(bodyOf('order.paid', { customerId, email }))
  await send(t.url, JSON.stringify({ ...order, data: { ...order.data, checkout_id: 'led-to-order' } }))

  expect(await inbox().forgetCustomer(systemPrincipal('test'), customerId)).toBe(6)
  for (const trace of ['"early@example.com', 'abandoned', 'led-to-order', email]) expect(await tablesWith(trace)).toEqual([])
  expect(await tablesWith('not-early@example.com')).toEqual(['billing_delivery'])
  expect(await t.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: true })).toMatchObject({
    removed: 0,
    restored: 0,
  })
})

testOnBoth("nothing is stored about a customer who is forgotten while the customer's events arrive", async () => {
  const other = await t.node()
  for (let round = 0; round < 5; round += 1) {
    const customerId = randomUUID()
    // An unknown customer cannot be forgotten.
    await send(t.url, bodyOf('customer.created', { customerId }))
    const sent = Array.from({ length: 12 }, (_, i) =>
      send(i % 2 === 0 ? t.url : other.url, bodyOf('customer.updated', { customerId })),
    )
    // The customer is forgotten once one of the deliveries is stored. Before that the customer is unknown.
    await Promise.any(sent)
    const [answers] = await Promise.all([Promise.all(sent), inbox().forgetCustomer(systemPrincipal('test'), customerId)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    const rows = await about(customerId)
    expect(rows).toHaveLength(13)
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['removed']))
    expect(await table('billing_customer').where({ id: customerId })).toEqual([])
  }
  await other.stop()
})
