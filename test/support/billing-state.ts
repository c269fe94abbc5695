/** The tables of the billing projection, as tests compare them. */
import type { TestApp } from './app.ts'

export const projectionTables = [
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

/** As if nothing had been derived from the inbox. Links stay: they are no derivation. */
export const clearProjection = async ({ app }: TestApp): Promise<void> => {
  for (const table of projectionTables) await app.core.db.knex(table).delete()
}

/** As if nothing had ever been sent. */
export const clearBilling = async (t: TestApp): Promise<void> => {
  await clearProjection(t)
  for (const table of ['billing_link', 'billing_delivery']) await t.app.core.db.knex(table).delete()
}

/** All rows, with the names that deliveries have outside in place of those the inbox gave them, and without the times of links. */
export const projectionOf = async ({ app }: TestApp): Promise<Record<string, unknown>> => {
  const { knex } = app.core.db
  const rows: Record<string, unknown> = {}
  for (const table of projectionTables) rows[table] = await knex(table).select().orderBy('id')
  rows['billing_link'] = await knex('billing_link')
    .select('customer_id', 'user_id', 'organization_id', 'linked_by', 'email')
    .orderBy('customer_id')
  const deliveries: { id: string; webhook_id: string }[] = await knex('billing_delivery').select('id', 'webhook_id')
  const text = deliveries.reduce((all, { id, webhook_id }) => all.replaceAll(id, webhook_id), JSON.stringify(rows))
  return JSON.parse(text)
}
