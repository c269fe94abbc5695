import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Set when an operator has given up on a delivery in quarantine: retention spares it until then.
  await knex.schema.alterTable('billing_delivery', (t) => {
    t.timestamp('dismissed_at')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('billing_delivery', (t) => {
    t.dropColumn('dismissed_at')
  })
}
