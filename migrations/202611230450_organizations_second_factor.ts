import type { Knex } from 'knex'

/** Organizations whose owners require a second factor from everybody who acts for them. */
export const up = async (knex: Knex): Promise<void> => {
  const flag = knex.client.dialect === 'postgresql' ? 'boolean not null default false' : 'boolean not null default 0'
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw(`alter table organization add column requires_second_factor ${flag}`)
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table organization drop column requires_second_factor')
}
