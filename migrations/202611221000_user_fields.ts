import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Values of the fields that the configuration adds, as a JSON object; null: none was ever set.
  await knex.schema.alterTable('user', (t) => {
    t.text('fields')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('user', (t) => {
    t.dropColumn('fields')
  })
}
