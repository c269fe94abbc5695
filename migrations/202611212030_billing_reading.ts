import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Operators look customers up by the id they gave them.
  await knex.schema.alterTable('billing_customer', (t) => {
    t.index(['external_id'], 'billing_customer_external_id_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('billing_customer', (t) => {
    t.dropIndex(['external_id'], 'billing_customer_external_id_index')
  })
}
