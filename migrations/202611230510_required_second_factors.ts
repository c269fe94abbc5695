import type { Knex } from 'knex'

/** A second factor that is required of one person, and lists of those who have one or have to add one. */
export const up = async (knex: Knex): Promise<void> => {
  const flag = knex.client.dialect === 'postgresql' ? 'boolean not null default false' : 'boolean not null default 0'
  // Added as text: knex would copy the whole table on SQLite.
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
