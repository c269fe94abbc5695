import type { Knex } from 'knex'

/** The time zone of a person's browser. Mails give times in this zone. */
export const up = async (knex: Knex): Promise<void> => {
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw('alter table "user" add column time_zone varchar(64)')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table "user" drop column time_zone')
}
