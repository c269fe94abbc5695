import type { Knex } from 'knex'

/** How the session was authenticated in which a key was made: the key has no more than that. */
export const up = async (knex: Knex): Promise<void> => {
  // Added as text: knex would copy the whole table on SQLite. What is unknown of earlier keys counts as the password alone.
  await knex.raw('alter table api_key add column factors integer not null default 1')
  // Null: no session made it, or it is unknown.
  await knex.raw('alter table api_key add column acr varchar(64)')
}

export const down = async (knex: Knex): Promise<void> => {
  for (const column of ['acr', 'factors']) await knex.raw(`alter table api_key drop column ${column}`)
}
