import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Grows with every change of the address: what was issued for an address is worth nothing once it was given up, even after a return.
  await knex.schema.alterTable('user', (t) => {
    t.integer('email_version').notNullable().defaultTo(0)
  })
  await knex.schema.createTable('known_device', (t) => {
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE')
    t.string('key_hash', 64).notNullable()
    t.timestamp('last_used_at').notNullable().index('known_device_last_used_at_index')
    t.primary(['user_id', 'key_hash'])
  })
  await knex.schema.createTable('password_failure', (t) => {
    t.string('key', 64).primary()
    t.string('user_id', 32).index('password_failure_user_id_index')
    t.integer('recent').notNullable()
    t.integer('consecutive').notNullable()
    t.timestamp('last_at').notNullable().index('password_failure_last_at_index')
    t.timestamp('wait_until')
  })
  await knex.schema.createTable('mail_request', (t) => {
    t.string('id', 32).primary()
    t.string('kind', 32).notNullable()
    t.string('address', 320).notNullable()
    t.text('url')
    t.timestamp('created_at').notNullable().index('mail_request_created_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['mail_request', 'password_failure', 'known_device']) await knex.schema.dropTable(table)
  await knex.schema.alterTable('user', (t) => {
    t.dropColumn('email_version')
  })
}
