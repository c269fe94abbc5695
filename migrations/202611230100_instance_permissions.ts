import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // JSON list of what a client of the type machine may do on the instance.
  await knex.schema.alterTable('oauth_client', (t) => {
    t.text('permissions').notNullable().defaultTo('[]')
  })
  // Users with another role than the usual one are few; the question for the administrators reads only them.
  await knex.raw(`create index user_role_index on "user" (role) where role <> 'user'`)
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index user_role_index')
  await knex.schema.alterTable('oauth_client', (t) => {
    t.dropColumn('permissions')
  })
}
