import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Why whoever did it says they did it. Events that have none keep the hash that they had before there was a column.
  await knex.schema.alterTable('event', (t) => {
    t.string('reason', 500)
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('event', (t) => t.dropColumn('reason'))
}
