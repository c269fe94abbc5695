import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('account', (t) => {
    t.string('device_id', 255)
    t.timestamp('refresh_claimed_until')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('account', (t) => {
    t.dropColumns('device_id', 'refresh_claimed_until')
  })
}
