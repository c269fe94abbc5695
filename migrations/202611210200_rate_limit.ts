import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('rate_limit', (t) => {
    t.string('key', 255).primary()
    t.integer('count').notNullable()
    t.bigInteger('window_start').notNullable().index('rate_limit_window_start_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('rate_limit')
}
