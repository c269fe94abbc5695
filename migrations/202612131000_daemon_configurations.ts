import type { Knex } from 'knex'

/** The configuration with which each daemon was started, without secrets. Commands say how their own configuration differs. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('daemon_configuration', (t) => {
    t.string('id', 32).primary()
    t.timestamp('started_at').notNullable()
    // Updated every minute while the daemon runs.
    t.timestamp('seen_at').notNullable()
    t.text('url').notNullable()
    t.text('file')
    // JSON.
    t.text('settings').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('daemon_configuration')
}
