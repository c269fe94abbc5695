import type { Knex } from 'knex'

/** An index that finds the refused sign-ins of one application, newest first. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.raw(
    'create index sign_in_failure_client_index on sign_in_failure (client_id, occurred_at, id) where client_id is not null',
  )
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index sign_in_failure_client_index')
}
