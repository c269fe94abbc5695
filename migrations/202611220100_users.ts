import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('user', (t) => {
    t.string('id', 32).primary()
    t.string('name', 200).notNullable()
    t.string('email', 254).notNullable().unique('user_email_unique')
    t.boolean('email_verified').notNullable()
    // Once the address of an account was verified, a person who verifies its present address no longer gets the account.
    t.boolean('email_ever_verified').notNullable()
    // Increased with every change of the address. Links and codes for an earlier version are void, even if the user returns to that
    // address.
    t.integer('email_version').notNullable()
    t.text('image')
    t.string('role', 100).notNullable()
    t.integer('language')
    // JSON object with the fields that the configuration adds. Null: none was ever set.
    t.text('fields')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('user')
}
