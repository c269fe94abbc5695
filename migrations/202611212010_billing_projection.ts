import type { Knex } from 'knex'

const catalogue = ['product', 'price', 'benefit', 'discount', 'meter', 'seller']

export const up = async (knex: Knex): Promise<void> => {
  // The greatest version wins: compared as bytes, whatever the language of the database.
  const version = knex.client.dialect === 'postgresql' ? 'text collate "C"' : 'text'
  /** The winning version of each entity. Ids are the platform's. */
  const createEntity = (name: string, columns: (t: Knex.CreateTableBuilder) => void) =>
    knex.schema.createTable(`billing_${name}`, (t) => {
      t.string('id', 255).primary()
      columns(t)
      t.text('data').notNullable()
      t.specificType('version', version).notNullable()
      t.string('delivery_id', 32).notNullable().index(`billing_${name}_delivery_id_index`)
    })
  /** Entities of one customer, listed by the time they were made. */
  const createOwned = (name: string, columns: (t: Knex.CreateTableBuilder) => void = () => undefined) =>
    createEntity(name, (t) => {
      // Null: a checkout of somebody who has bought nothing yet.
      t.string('customer_id', 255)
      columns(t)
      t.string('created_at', 27).notNullable()
      t.index(['customer_id', 'created_at', 'id'], `billing_${name}_customer_id_index`)
    })

  await createEntity('customer', (t) => {
    t.string('email', 254).index('billing_customer_email_index')
    t.string('external_id', 255)
    t.boolean('is_deleted').notNullable()
    t.text('standing').notNullable()
    t.string('created_at', 27).notNullable()
    t.index(['created_at', 'id'], 'billing_customer_created_at_index')
  })
  await createEntity('customer_state', () => undefined)
  for (const name of ['subscription', 'grant', 'refund', 'checkout']) await createOwned(name)
  await createOwned('order', (t) => t.string('subscription_id', 255))
  // What was bought once counts for good; renewals, of which there are many, do not.
  await knex.schema.raw('create index billing_order_purchase_index on billing_order (customer_id) where subscription_id is null')
  for (const name of catalogue) await createEntity(name, () => undefined)
}

export const down = async (knex: Knex): Promise<void> => {
  const tables = ['checkout', 'refund', 'order', 'grant', 'subscription', 'customer_state', 'customer', ...catalogue]
  for (const table of tables) await knex.schema.dropTable(`billing_${table}`)
}
