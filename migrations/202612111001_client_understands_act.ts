import type { Knex } from 'knex'

/** Whether an application understands the claim `act`. Only then can an administrator who impersonates a user sign in to it. */
export const up = async (knex: Knex): Promise<void> => {
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw('alter table oauth_client add column understands_act boolean not null default false')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table oauth_client drop column understands_act')
}
