import type { Knex } from 'knex'

/** Indexes for what `doctor` and a sweep look for among many applications and people. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.raw(
    'create index oauth_client_unfetched_logo_index on oauth_client (client_id) where icon is not null and (logo_source is null or logo_source <> icon)',
  )
  await knex.raw('create index client_secret_expires_at_index on client_secret (expires_at) where expires_at is not null')
  await knex.raw('create index recovery_code_list_unproven_index on recovery_code_list (created_at) where not is_active')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index oauth_client_unfetched_logo_index')
  await knex.raw('drop index client_secret_expires_at_index')
  await knex.raw('drop index recovery_code_list_unproven_index')
}
