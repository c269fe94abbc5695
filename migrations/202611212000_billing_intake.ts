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
    t.string('endpoint', 64).notNullable()
    t.string('webhook_id', 255).notNullable()
    t.string('event_type', 255)
    t.string('customer_id', 255)
    t.timestamp('received_at').notNullable()
    t.string('event_at', 64)
    t.text('headers').notNullable()
    t.binary('body').notNullable()
    t.string('body_sha256', 64).notNullable()
    t.string('verdict', 16).notNullable()
    t.string('effect', 16)
    t.text('issues').notNullable()
    t.integer('attempts').notNullable()
    t.timestamp('applied_at')
    t.unique(['endpoint', 'webhook_id'], { indexName: 'billing_delivery_endpoint_webhook_id_unique' })
    t.index(['received_at', 'id'], 'billing_delivery_received_at_index')
    t.index(['customer_id', 'received_at'], 'billing_delivery_customer_id_index')
  })
  // Few of many: looked for by operators, and of no cost to what is accepted.
  await knex.schema.raw(
    "create index billing_delivery_verdict_index on billing_delivery (verdict, received_at, id) where verdict <> 'accepted'",
  )
  await knex.schema.createTable('billing_refusal', (t) => {
    t.string('endpoint', 64).notNullable()
    t.string('reason', 64).notNullable()
    t.string('address', 64).notNullable()
    t.bigInteger('count').notNullable()
    t.timestamp('first_seen_at').notNullable()
    t.timestamp('last_seen_at').notNullable().index('billing_refusal_last_seen_at_index')
    t.primary(['endpoint', 'reason', 'address'])
  })
  await knex.schema.createTable('billing_forgotten', (t) => {
    t.string('customer_id', 255).primary()
    t.timestamp('forgotten_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['billing_forgotten', 'billing_refusal', 'billing_delivery', 'billing_endpoint'])
    await knex.schema.dropTable(table)
}
