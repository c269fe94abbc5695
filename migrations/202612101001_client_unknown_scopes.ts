import type { Knex } from 'knex'

/** What happens if an application requests scopes that it cannot have. Null: `oidc.unknownScopes` decides. */
export const up = async (knex: Knex): Promise<void> => {
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw("alter table oauth_client add column unknown_scopes varchar(16) check (unknown_scopes in ('refuse', 'ignore'))")
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table oauth_client drop column unknown_scopes')
}
