import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('billing_endpoint', (t) => {
    t.string('name', 64).primary()
    t.text('secrets').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
  })
  await knex.schema.createTable('billing_delivery', (t) => {
    t.string('id', 32).primary()
    // There is no foreign key, for two reasons: deliveries stay when their endpoint is removed, and with a foreign key each delivery
    // would lock the row of the endpoint, which all of them share.
    t.string('endpoint', 64).notNullable()
    t.string('webhook_id', 255).notNullable()
    t.string('event_type', 255)
    // Ids of the billing platform have no foreign keys, here and in the tables of its entities, because events arrive in any order.
    t.string('customer_id', 255)
    t.timestamp('received_at').notNullable()
    t.string('event_at', 27)
    t.text('headers').notNullable()
    t.binary('body').notNullable()
    t.string('body_sha256', 64).notNullable()
    t.string('status', 16).notNullable().checkIn(['accepted', 'quarantined', 'removed'], 'billing_delivery_status_check')
    t.string('outcome', 16).checkIn(['applied', 'superseded', 'ignored'], 'billing_delivery_outcome_check')
    t.text('issues').notNullable()
    t.integer('attempts').notNullable()
    t.timestamp('applied_at')
    // Set when an operator has given up a quarantined delivery. Until then retention does not delete it.
    t.timestamp('dismissed_at')
    t.unique(['endpoint', 'webhook_id'], { indexName: 'billing_delivery_endpoint_webhook_id_unique' })
    t.index(['received_at', 'id'], 'billing_delivery_received_at_index')
    t.index(['customer_id', 'received_at'], 'billing_delivery_customer_id_index')
  })
  // The index contains only the few deliveries that operators look for. An accepted delivery does not write to it.
  await knex.schema.raw(
    "create index billing_delivery_status_index on billing_delivery (status, received_at, id) where status <> 'accepted'",
  )
  // Requests that were answered with an error. There is no foreign key, because the endpoint is the name that the sender has used.
  await knex.schema.createTable('billing_rejection', (t) => {
    t.string('endpoint', 64).notNullable()
    t.string('reason', 64).notNullable()
    t.string('address', 64).notNullable()
    t.bigInteger('count').notNullable()
    t.timestamp('first_seen_at').notNullable()
    t.timestamp('last_seen_at').notNullable().index('billing_rejection_last_seen_at_index')
    t.primary(['endpoint', 'reason', 'address'])
  })
  // Customers who were forgotten. The row outlives everything that was known about the customer, so that nothing about them is stored
  // again.
  await knex.schema.createTable('billing_forgotten', (t) => {
    t.string('customer_id', 255).primary()
    t.timestamp('forgotten_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['billing_forgotten', 'billing_rejection', 'billing_delivery', 'billing_endpoint'])
    await knex.schema.dropTable(table)
}
