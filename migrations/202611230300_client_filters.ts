import type { Knex } from 'knex'

const orders = ['created_at', 'name_key']

/** The list of clients: each filter finds its rows in both of its orders. Few clients are switched off. */
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
