import type { Knex } from 'knex'

/** Setup steps that an administrator has dismissed. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('dismissed_setup_step', (t) => {
    t.string('name', 64).primary()
    t.timestamp('dismissed_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('dismissed_setup_step')
}
