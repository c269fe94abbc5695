import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('mail_outbox', (t) => {
    t.string('id', 32).primary()
    t.string('kind', 64).notNullable()
    t.string('to_name', 200).notNullable()
    t.string('to_address', 320).notNullable()
    t.text('body')
    t.string('state', 16).notNullable()
    t.integer('attempts').notNullable()
    t.timestamp('due_at').notNullable()
    t.text('last_error')
    t.timestamp('created_at').notNullable()
    t.index(['state', 'due_at'], 'mail_outbox_state_due_at_index')
    t.index(['to_address', 'created_at'], 'mail_outbox_to_address_created_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('mail_outbox')
}
