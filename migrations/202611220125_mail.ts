import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Requests for a mail, by address. They are answered before the server looks whether the address has an account, so there is no foreign
  // key.
  await knex.schema.createTable('mail_request', (t) => {
    t.string('id', 32).primary()
    t.string('kind', 32).notNullable().checkIn(['verification', 'reset'], 'mail_request_kind_check')
    t.string('address', 254).notNullable()
    t.text('url')
    // The language of the request. If the user has chosen a language, that one is used.
    t.integer('language')
    t.string('network', 64).notNullable()
    t.string('device_id', 64)
    t.timestamp('created_at').notNullable().index('mail_request_created_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('mail_request')
}
