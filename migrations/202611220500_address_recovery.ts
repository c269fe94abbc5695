import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // When the password was last given in a session: what gives the account away asks for a recent one. Unknown for sessions of before.
  await knex.schema.alterTable('session', (t) => {
    t.timestamp('password_at')
  })
  // Links by which an address that was given up takes the account back.
  await knex.schema.createTable('address_recovery', (t) => {
    t.string('id', 64).primary()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('address_recovery_user_id_index')
    t.string('email', 254).notNullable()
    t.integer('email_version').notNullable()
    t.timestamp('expires_at').notNullable().index('address_recovery_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('address_recovery')
  await knex.schema.alterTable('session', (t) => {
    t.dropColumn('password_at')
  })
}
