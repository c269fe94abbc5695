import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // The master secrets that were ever configured, and when each was last used for signing. The secret itself is never stored: the id is 4
  // bytes of a hash.
  await knex.schema.createTable('master_secret', (t) => {
    t.string('id', 8).primary()
    t.timestamp('last_signed_at').notNullable()
    t.timestamp('removed_at')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('master_secret')
}
