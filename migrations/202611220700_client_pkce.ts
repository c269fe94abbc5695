import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // 'required' or 'optional'; null for clients that follow oidc.requirePkce, as all did before.
  await knex.schema.alterTable('oauth_client', (t) => {
    t.string('pkce', 16)
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('oauth_client', (t) => {
    t.dropColumn('pkce')
  })
}
