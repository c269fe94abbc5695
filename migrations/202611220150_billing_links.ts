import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // The owner of a customer of the billing platform. A row without user and organization means that the owner was deleted, and nobody
  // else becomes the owner.
  await knex.schema.createTable('billing_link', (t) => {
    t.string('customer_id', 255).primary()
    t.string('user_id', 32).references('user.id').onDelete('SET NULL').index('billing_link_user_id_index')
    t.string('organization_id', 32).references('organization.id').onDelete('SET NULL').index('billing_link_organization_id_index')
    t.string('linked_by', 16).notNullable().checkIn(['external_id', 'email', 'operator'], 'billing_link_linked_by_check')
    // For a link by address: the address that customer and user had in common.
    t.string('email', 254)
    t.timestamp('linked_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('billing_link')
}
