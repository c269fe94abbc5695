import type { Knex } from 'knex'

/** Indexes that now end with the order of their list, so that a page can begin after any row: table, name, column of the filter, order. */
const extended = [
  ['billing_customer', 'email', 'email', 'created_at'],
  ['billing_customer', 'external_id', 'external_id', 'created_at'],
  ['billing_delivery', 'customer_id', 'customer_id', 'received_at'],
] as const
const nameOf = (table: string, filter: string) => `${table}_${filter}_index`

/** Indexes for lists of customers and deliveries. A delivery now writes to one more index, that of its type. */
export const up = async (knex: Knex): Promise<void> => {
  for (const [table, filter, column, order] of extended) {
    await knex.raw(`drop index ${nameOf(table, filter)}`)
    await knex.raw(`create index ${nameOf(table, filter)} on ${table} (${column}, ${order}, id)`)
  }
  await knex.raw('drop index billing_customer_renewal_due_at_index')
  await knex.raw('create index billing_customer_renewal_due_at_index on billing_customer (renewal_due_at, id)')
  await knex.raw('create index billing_delivery_event_type_index on billing_delivery (event_type, received_at, id)')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index billing_delivery_event_type_index')
  await knex.raw('drop index billing_customer_renewal_due_at_index')
  await knex.raw('create index billing_customer_renewal_due_at_index on billing_customer (renewal_due_at)')
  for (const [table, filter, column] of extended) {
    await knex.raw(`drop index ${nameOf(table, filter)}`)
    const before = table === 'billing_delivery' ? `${column}, received_at` : column
    await knex.raw(`create index ${nameOf(table, filter)} on ${table} (${before})`)
  }
}
