import type { Knex } from 'knex'

/** The authentication class that an application requires from everybody who signs in to it. Null: none. */
export const up = async (knex: Knex): Promise<void> => {
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw(
    "alter table oauth_client add column require_acr varchar(32) check (require_acr in ('2fa', 'phishing-resistant'))",
  )
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table oauth_client drop column require_acr')
}
