import type { Knex } from 'knex'

const catalogue = ['product', 'benefit', 'meter']

export const up = async (knex: Knex): Promise<void> => {
  // The greatest version wins. Versions are compared as bytes, in any language of the database.
  const version = knex.client.dialect === 'postgresql' ? 'text collate "C"' : 'text'
  /** The winning version of each entity. Its delivery is not deleted while the version refers to it. Ids are those of the platform. */
  const createEntity = (name: string, columns: (t: Knex.CreateTableBuilder) => void) =>
    knex.schema.createTable(`billing_${name}`, (t) => {
      t.string('id', 255).primary()
      columns(t)
      t.text('data').notNullable()
      t.specificType('version', version).notNullable()
      t.string('delivery_id', 32).notNullable().references('billing_delivery.id').index(`billing_${name}_delivery_id_index`)
    })
  /** Entities of one customer, listed by the time when the platform created them. */
  const createOwned = (name: string, columns: (t: Knex.CreateTableBuilder) => void = () => undefined) =>
    createEntity(name, (t) => {
      t.string('customer_id', 255)
      columns(t)
      t.string('created_at', 27).notNullable()
      t.index(['customer_id', 'created_at', 'id'], `billing_${name}_customer_id_index`)
    })
  /** Benefits and refunds are found by their order, so that the effect of an order can be derived without the customer's other orders. */
  const withOrder = (name: string) => (t: Knex.CreateTableBuilder) =>
    void t.string('order_id', 255).index(`billing_${name}_order_id_index`)

  await createEntity('customer', (t) => {
    t.string('email', 254).index('billing_customer_email_index')
    // Operators look customers up by the external id that they have given them.
    t.string('external_id', 255).index('billing_customer_external_id_index')
    t.boolean('is_deleted').notNullable()
    t.text('snapshot').notNullable()
    t.string('renewal_due_at', 27).index('billing_customer_renewal_due_at_index')
    t.string('created_at', 27).notNullable()
    t.index(['created_at', 'id'], 'billing_customer_created_at_index')
  })
  await createEntity('customer_state', () => undefined)
  await createOwned('subscription')
  await createOwned('order', (t) => t.string('subscription_id', 255))
  // Contains one-time purchases, which count without end. Renewals, of which there are many, are left out.
  await knex.schema.raw('create index billing_order_purchase_index on billing_order (customer_id) where subscription_id is null')
  await createOwned('grant', withOrder('grant'))
  await createOwned('refund', withOrder('refund'))
  for (const name of catalogue) await createEntity(name, () => undefined)
}

export const down = async (knex: Knex): Promise<void> => {
  const tables = [...catalogue, 'refund', 'grant', 'order', 'subscription', 'customer_state', 'customer']
  for (const table of tables) await knex.schema.dropTable(`billing_${table}`)
}
