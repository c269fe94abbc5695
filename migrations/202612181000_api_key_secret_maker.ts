import type { Knex } from 'knex'

/** The person who has seen a secret of an API key. If this person answers the notice that it was not them, the key ends. */
export const up = async (knex: Knex): Promise<void> => {
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  const references = 'references "user" (id) on delete set null'
  await knex.raw(`alter table api_key_secret add column created_by varchar(32) ${references}`)
  await knex.raw('create index api_key_secret_created_by_index on api_key_secret (created_by)')
  // For earlier secrets it is not known who rotated the key, so its creator is stored.
  await knex.raw('update api_key_secret set created_by = (select k.created_by from api_key k where k.id = key_id)')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index api_key_secret_created_by_index')
  await knex.raw('alter table api_key_secret drop column created_by')
}
