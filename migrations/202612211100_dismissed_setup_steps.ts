import type { Knex } from 'knex'

/** Steps of the set-up that an administrator does not want. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('dismissed_setup_step', (t) => {
    t.string('name', 64).primary()
    t.timestamp('dismissed_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('dismissed_setup_step')
}
