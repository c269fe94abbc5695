import type { Knex } from 'knex'

/** What becomes of scopes that an application asks for and cannot have. Null: as `oidc.unknownScopes` says. */
export const up = async (knex: Knex): Promise<void> => {
  // Added as text: knex would copy the whole table on SQLite.
  await knex.raw("alter table oauth_client add column unknown_scopes varchar(16) check (unknown_scopes in ('refuse', 'ignore'))")
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table oauth_client drop column unknown_scopes')
}
