import type { Knex } from 'knex'

/**
 * User names, a second identifier of users. `username` is normalized, so that its unique index decides which user gets a name.
 * `display_username` is how the user writes it.
 */
export const up = async (knex: Knex): Promise<void> => {
  // The columns are added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw('alter table "user" add column username varchar(30)')
  await knex.raw('alter table "user" add column display_username varchar(100)')
  await knex.raw('create unique index user_username_unique on "user" (username)')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index user_username_unique')
  await knex.raw('alter table "user" drop column display_username')
  await knex.raw('alter table "user" drop column username')
}
