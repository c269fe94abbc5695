import type { Knex } from 'knex'

const tables = ['passkey', 'totp']

/** The session in which a factor was added. In this session, the factor does not count as a recent proof. */
export const up = async (knex: Knex): Promise<void> => {
  // There is no foreign key: the id is only compared with the session of a call, and ids are never used again.
  for (const table of tables) await knex.raw(`alter table ${table} add column session_id varchar(32)`)
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of tables) await knex.raw(`alter table ${table} drop column session_id`)
}
