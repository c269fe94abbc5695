import type { Knex } from 'knex'

/** How the session in which a key was made was authenticated. The key does not count for more. */
export const up = async (knex: Knex): Promise<void> => {
  // The columns are added by plain SQL, because knex would copy the whole table on SQLite. For earlier keys the authentication is unknown and
  // counts as a password alone.
  await knex.raw('alter table api_key add column factors integer not null default 1')
  // Null: the key was not made in a session, or the class is unknown.
  await knex.raw('alter table api_key add column acr varchar(64)')
}

export const down = async (knex: Knex): Promise<void> => {
  for (const column of ['acr', 'factors']) await knex.raw(`alter table api_key drop column ${column}`)
}
