import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import type { EventType } from '../../../src/billing/events/table.ts'
import type { SimulationOptions } from '../../../src/billing/simulation/build.ts'
import { systemCaller } from '../../../src/core/caller.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import { projectionOf } from '../../support/billing-state.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [webhookSecret] } } })
})
afterAll(() => t.stop())

const steps = [
  '202611220900_billing_meter_as_of',
  '202611220910_billing_unread_tables',
  '202611220920_billing_order_ids',
] as const
const at = new Date('2026-11-21T12:00:00.120Z')
const send = async (type: EventType, options: Partial<SimulationOptions>, change = (data: object): object => data) => {
  const event = eventOf(type, { at, ...options })
  expect((await post(t.url, signedDelivery(webhookSecret, { ...event, data: change(event.data) }))).status).toBe(202)
}
const rebuild = () => t.app.billing.projection.rebuild(systemCaller('test'), { dryRun: true })
const right = { corrected: 0, removed: 0, restored: 0, standings: 0, links: 0 }

test('the upgrade fills rows that an older version stored, as a rebuild would have them', async () => {
  const { knex } = t.app.core.db
  const metered = { units: { consumed: 3, credited: 10 } }
  await send('customer.state_changed', { customerId: 'with-snapshot', ...metered, recurring: true })
  for (const [shape, customerId] of [
    ['2025', 'by-subscription'],
    ['2026', 'with-snapshot'],
  ] as const)
    await send(
      'subscription.active',
      { customerId, shape, subscriptionId: `${customerId}-2`, at: new Date('2026-11-21T12:05:00Z'), ...metered },
      (data) => JSON.parse(JSON.stringify(data).replaceAll('2026-11-21T12:05:00.000Z', '2026-11-21T14:05:00.5+02:00')),
    )
  await send('customer.deleted', { customerId: 'deleted' })
  for (const [orderId, recurring] of [
    ['bought', false],
    ['subscribed', true],
  ] as const) {
    const options = { customerId: 'buyer', orderId, recurring }
    await send('order.paid', options)
    await send('benefit_grant.created', { ...options, grantId: `grant-${orderId}` })
  }
  await send('refund.created', { customerId: 'buyer', orderId: 'bought', refundId: 'waits', recurring: false })
  const stored = await projectionOf(t)
  expect(JSON.stringify(stored)).toContain('asOf')
  expect(await rebuild()).toMatchObject(right)

  for (const step of steps.toReversed()) await knex.transaction(async (trx) => migrations[step]?.down?.(trx))
  const older = JSON.stringify(await projectionOf(t))
  expect(older).not.toContain('asOf')
  expect(older).not.toMatch(/"order_id":(null|"bought"),"/)
  await knex('billing_checkout').insert({ id: 'left', created_at: '', data: '{}', version: '', delivery_id: '' })
  for (const step of steps) await knex.transaction(async (trx) => migrations[step]?.up(trx))

  expect(await projectionOf(t)).toEqual(stored)
  expect(await rebuild()).toMatchObject(right)
  // What comes next finds what belongs to it.
  await send('refund.updated', {
    customerId: 'buyer',
    orderId: 'bought',
    refundId: 'waits',
    recurring: false,
    status: 'succeeded',
    at: new Date('2026-11-21T12:10:00Z'),
  })
  const { standing } = await knex('billing_customer').where({ id: 'buyer' }).first()
  expect(JSON.parse(standing)).toMatchObject({ grants: [{ id: 'grant-subscribed' }], orders: [{ benefitsRevoked: true }] })
  expect(await rebuild()).toMatchObject(right)
})
