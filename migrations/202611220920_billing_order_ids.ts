import type { Knex } from 'knex'

const names = ['grant', 'refund'] as const

/** Benefits and refunds are found by their order: what an order gives is derived without all others of the customer. */
export const up = async (knex: Knex): Promise<void> => {
  const orderId = knex.client.dialect === 'postgresql' ? "data::json ->> 'order_id'" : "json_extract(data, '$.order_id')"
  for (const name of names) {
    await knex.schema.alterTable(`billing_${name}`, (t) => {
      t.string('order_id', 255).index(`billing_${name}_order_id_index`)
    })
    await knex.raw(`update billing_${name} set order_id = ${orderId} where length(${orderId}) <= 255`)
  }
}

export const down = async (knex: Knex): Promise<void> => {
  for (const name of names)
    await knex.schema.alterTable(`billing_${name}`, (t) => {
      t.dropIndex('order_id', `billing_${name}_order_id_index`)
      t.dropColumn('order_id')
    })
}
