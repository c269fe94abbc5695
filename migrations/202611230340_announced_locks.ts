import type { Knex } from 'knex'

const columns = ['locked_at', 'slowed_at'] as const

export const up = async (knex: Knex): Promise<void> => {
  // When an event said last that only a reset lets the password in, and that everybody waits.
  await knex.schema.alterTable('password_failure', (t) => {
    for (const column of columns) t.timestamp(column)
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const column of columns) await knex.schema.alterTable('password_failure', (t) => t.dropColumn(column))
}
