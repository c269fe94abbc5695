import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('rate_limit', (t) => {
    t.string('key', 255).primary()
    t.integer('count').notNullable()
    t.timestamp('window_start').notNullable().index('rate_limit_window_start_index')
  })
  await knex.schema.createTable('password_failure', (t) => {
    t.string('key', 64).primary()
    // Null for an address that has no account. There is no foreign key: it would lock the user after the key, while a sign-in locks them
    // in the other order. The deletion of a user also deletes the counts.
    t.string('user_id', 32).index('password_failure_user_id_index')
    t.integer('recent').notNullable()
    t.integer('consecutive').notNullable()
    t.timestamp('last_at').notNullable().index('password_failure_last_at_index')
    t.timestamp('wait_until')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['password_failure', 'rate_limit']) await knex.schema.dropTable(table)
}
