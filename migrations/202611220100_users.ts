import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('user', (t) => {
    t.string('id', 32).primary()
    t.string('name', 200).notNullable()
    t.string('email', 254).notNullable().unique('user_email_unique')
    t.boolean('email_verified').notNullable()
    // An account whose address was verified once is not given to whoever verifies the address it has by now.
    t.boolean('email_ever_verified').notNullable()
    // Grows with every change of the address: what was issued for an address is void once it was given up, even after a return.
    t.integer('email_version').notNullable()
    t.text('image')
    t.string('role', 100).notNullable()
    t.integer('language')
    // JSON object of the fields that the configuration adds; null: none was ever set.
    t.text('fields')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('user')
}
