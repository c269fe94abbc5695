import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Origins, as JSON, whose pages may call the token and userinfo endpoints for this client besides those of its redirect addresses.
  await knex.schema.alterTable('oauth_client', (t) => {
    t.text('web_origins').notNullable().defaultTo('[]')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('oauth_client', (t) => {
    t.dropColumn('web_origins')
  })
}
