import type { Knex } from 'knex'

/** Indexes that find the applications which do not answer logout tokens, and those which publish their keys at an address. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('create index logout_notice_problem_index on logout_notice (client_id, attempted_at) where problem is not null')
  await knex.raw(
    "create index logout_notice_delivered_index on logout_notice (client_id, attempted_at) where state = 'delivered'",
  )
  await knex.raw(`create index oauth_client_keys_elsewhere_index on oauth_client (client_id) where metadata like '%"jwksUri":"%'`)
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index oauth_client_keys_elsewhere_index')
  await knex.raw('drop index logout_notice_problem_index')
  await knex.raw('drop index logout_notice_delivered_index')
}
