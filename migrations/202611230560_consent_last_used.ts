import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // When the application last got a token for the person. It is written at most once a day.
  await knex.schema.alterTable('oauth_consent', (t) => t.timestamp('last_used_at'))
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('oauth_consent', (t) => t.dropColumn('last_used_at'))
}
