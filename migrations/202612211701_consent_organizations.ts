import type { Knex } from 'knex'

/** The organizations for which a person lets an application act, as JSON. Null: all of them, which was the meaning of every earlier consent. */
export const up = async (knex: Knex): Promise<void> => {
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw('alter table oauth_consent add column organizations text')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table oauth_consent drop column organizations')
}
