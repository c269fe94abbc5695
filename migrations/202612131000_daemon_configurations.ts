import type { Knex } from 'knex'

/** What each daemon was started with, without secrets: a command says where its own configuration differs. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('daemon_configuration', (t) => {
    t.string('id', 32).primary()
    t.timestamp('started_at').notNullable()
    // The daemon notes every minute that it runs.
    t.timestamp('seen_at').notNullable()
    t.text('url').notNullable()
    t.text('file')
    // JSON
    t.text('settings').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('daemon_configuration')
}
