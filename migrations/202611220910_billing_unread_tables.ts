import type { Knex } from 'knex'

const names = ['checkout', 'price', 'discount', 'seller'] as const

/** Nothing reads them: what they said is in the deliveries. */
export const up = async (knex: Knex): Promise<void> => {
  for (const name of names) await knex.schema.dropTable(`billing_${name}`)
}

/** Empty: `rebuild-billing` fills them again. */
export const down = async (knex: Knex): Promise<void> => {
  const version = knex.client.dialect === 'postgresql' ? 'text collate "C"' : 'text'
  for (const name of names)
    await knex.schema.createTable(`billing_${name}`, (t) => {
      t.string('id', 255).primary()
      if (name === 'checkout') {
        t.string('customer_id', 255)
        t.string('created_at', 27).notNullable()
        t.index(['customer_id', 'created_at', 'id'], 'billing_checkout_customer_id_index')
      }
      t.text('data').notNullable()
      t.specificType('version', version).notNullable()
      t.string('delivery_id', 32).notNullable().index(`billing_${name}_delivery_id_index`)
    })
}
