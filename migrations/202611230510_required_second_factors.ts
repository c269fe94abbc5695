import type { Knex } from 'knex'

/** Second factors that are required from single users, and lists of the users who have a second factor or have to add one. */
export const up = async (knex: Knex): Promise<void> => {
  const flag = knex.client.dialect === 'postgresql' ? 'boolean not null default false' : 'boolean not null default 0'
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw(`alter table "user" add column second_factor_required ${flag}`)
  await knex.raw('create index user_second_factor_index on "user" (created_at, id) where second_factor_since is not null')
  const missing = 'second_factor_due is not null and second_factor_since is null'
  await knex.raw(`create index user_second_factor_missing_index on "user" (created_at, id) where ${missing}`)
  await knex.raw(`create index user_second_factor_due_index on "user" (second_factor_due, id) where ${missing}`)
}

export const down = async (knex: Knex): Promise<void> => {
  for (const name of ['due', 'missing']) await knex.raw(`drop index user_second_factor_${name}_index`)
  await knex.raw('drop index user_second_factor_index')
  await knex.raw('alter table "user" drop column second_factor_required')
}
