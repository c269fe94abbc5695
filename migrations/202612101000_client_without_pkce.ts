import type { Knex } from 'knex'

/** When somebody last signed in to the application without a PKCE challenge. Null: no such sign-in is known. */
export const up = async (knex: Knex): Promise<void> => {
  // The column is added by its type only, because knex would otherwise copy the whole table on SQLite.
  await knex.schema.alterTable('oauth_client', (t) => t.timestamp('without_pkce_at'))
  await knex.raw(
    'create index oauth_client_without_pkce_at_index on oauth_client (without_pkce_at) where without_pkce_at is not null',
  )
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index oauth_client_without_pkce_at_index')
  await knex.raw('alter table oauth_client drop column without_pkce_at')
}
