import type { Knex } from 'knex'

const orders = ['created_at', 'name_key']

/** Indexes for the list of clients. Each filter finds its rows in both orders of the list. Few clients are disabled. */
export const up = async (knex: Knex): Promise<void> => {
  for (const column of orders) {
    await knex.raw(`create index oauth_client_type_${column}_index on oauth_client (type, ${column}, id)`)
    await knex.raw(`create index oauth_client_disabled_${column}_index on oauth_client (${column}, id) where disabled`)
  }
}

export const down = async (knex: Knex): Promise<void> => {
  for (const column of orders)
    for (const filter of ['type', 'disabled']) await knex.raw(`drop index oauth_client_${filter}_${column}_index`)
}
