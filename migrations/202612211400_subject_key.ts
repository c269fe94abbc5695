import type { Knex } from 'knex'

/** The key from which pairwise subject identifiers are derived. It is made once and never replaced. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('subject_key', (t) => {
    t.string('id', 32).primary()
    t.text('key').notNullable()
    t.timestamp('created_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('subject_key')
}
