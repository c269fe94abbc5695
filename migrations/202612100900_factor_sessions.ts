import type { Knex } from 'knex'

const tables = ['passkey', 'totp']

/** The session in which a factor was added: it is no recent proof there. */
export const up = async (knex: Knex): Promise<void> => {
  // Without a foreign key: it is compared with the session of a call alone, and an id is never used again.
  for (const table of tables) await knex.raw(`alter table ${table} add column session_id varchar(32)`)
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of tables) await knex.raw(`alter table ${table} drop column session_id`)
}
