import type { Knex } from 'knex'

/** The organizations that a person agreed to have an application act for, as JSON; null: all of them, as every consent was before. */
export const up = async (knex: Knex): Promise<void> => {
  // Added as text: knex would copy the whole table on SQLite.
  await knex.raw('alter table oauth_consent add column organizations text')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table oauth_consent drop column organizations')
}
