import type { Knex } from 'knex'

const columns = ['locked_at', 'slowed_at'] as const

export const up = async (knex: Knex): Promise<void> => {
  // `locked_at`: when the last event said that only a password reset unlocks the account. `slowed_at`: when the last event said that
  // everybody has to wait.
  await knex.schema.alterTable('password_failure', (t) => {
    for (const column of columns) t.timestamp(column)
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const column of columns) await knex.schema.alterTable('password_failure', (t) => t.dropColumn(column))
}
