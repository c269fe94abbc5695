/** Reads and clears the tables of the billing state, for comparisons in tests. */
import { randomUUID } from 'node:crypto'
import type { DeliveryRow } from '../../src/billing/ingest/store/deliveries.ts'
import type { Db } from '../../src/core/db/database.ts'
import type { TestApp } from './app.ts'

export const stateTables = [
  'customer',
  'customer_state',
  'subscription',
  'grant',
  'order',
  'refund',
  'product',
  'benefit',
  'meter',
].map((name) => `billing_${name}`)

/** The JSON of a snapshot without purchases, with the given changes. */
export const snapshotOf = (customerId: string, changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ customerId, subscriptions: [], grants: [], orders: [], meters: [], ...changes })

const times = { created_at: '2026-01-01T00:00:00Z', modified_at: null }
/** All fields of stored subscriptions, grants and orders that reads rely on, in one object. */
export const entityData = {
  ...{ ...times, product_id: 'p', price_ids: [], status: 'active', currency: 'eur', amount: 1, recurring_interval: 'month' },
  ...{ current_period_start: times.created_at, current_period_end: null, cancel_at_period_end: false, canceled_at: null },
  ...{ started_at: null, ends_at: null, ended_at: null, meters: [], benefit_id: 'b', benefit_type: 'custom', is_granted: true },
  ...{ is_revoked: false, subscription_id: null, order_id: null, properties: {}, paid: true, total_amount: 1 },
  ...{ refunded_amount: 0, items: [], revoke_benefits: false },
}
export const stateData = { active_subscriptions: [], granted_benefits: [], active_meters: [] }

/** Deletes everything that is derived from deliveries. Links are not derived, so they stay. */
export const clearState = async ({ app }: TestApp): Promise<void> => {
  for (const table of stateTables) await app.core.db.knex(table).delete()
}

/** Deletes links and deliveries as well. */
export const clearBilling = async (t: TestApp): Promise<void> => {
  await clearState(t)
  for (const table of ['billing_link', 'billing_delivery']) await t.app.core.db.knex(table).delete()
}

/** Stores an accepted delivery without content, for an event that a test applies itself. */
export const storeDelivery = async ({ knex }: Db): Promise<Pick<DeliveryRow, 'id' | 'webhookId' | 'receivedAt'>> => {
  const delivery = { id: randomUUID().replaceAll('-', ''), webhookId: randomUUID(), receivedAt: new Date() }
  await knex('billing_delivery').insert({
    ...{ id: delivery.id, endpoint: 'test', webhook_id: delivery.webhookId, received_at: delivery.receivedAt },
    ...{ headers: '{}', body: Buffer.alloc(0), body_sha256: '', status: 'accepted', issues: '[]', attempts: 1 },
  })
  return delivery
}

/** All rows, with webhook ids in place of delivery ids, and without the times of links. */
export const stateOf = async ({ app }: TestApp): Promise<Record<string, unknown>> => {
  const { knex } = app.core.db
  const rows: Record<string, unknown> = {}
  for (const table of stateTables) rows[table] = await knex(table).select().orderBy('id')
  rows['billing_link'] = await knex('billing_link')
    .select('customer_id', 'user_id', 'organization_id', 'linked_by', 'email')
    .orderBy('customer_id')
  const deliveries: { id: string; webhook_id: string }[] = await knex('billing_delivery').select('id', 'webhook_id')
  const text = deliveries.reduce((all, { id, webhook_id }) => all.replaceAll(id, webhook_id), JSON.stringify(rows))
  return JSON.parse(text)
}
