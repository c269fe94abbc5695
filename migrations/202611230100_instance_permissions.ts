import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // JSON list of the permissions that a client of the type machine has on the instance.
  await knex.schema.alterTable('oauth_client', (t) => {
    t.text('permissions').notNullable().defaultTo('[]')
  })
  // Few users have a role other than the usual one. Queries for administrators read only these users.
  await knex.raw(`create index user_role_index on "user" (role) where role <> 'user'`)
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index user_role_index')
  await knex.schema.alterTable('oauth_client', (t) => {
    t.dropColumn('permissions')
  })
}
