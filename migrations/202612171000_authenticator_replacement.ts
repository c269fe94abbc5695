import type { Knex } from 'knex'

/** A user may have two authenticator apps: one that counts, and one that will replace it after its first code. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('totp', (t) => t.dropUnique(['user_id']))
  await knex.raw('create unique index totp_user_id_state_unique on totp (user_id, (confirmed_at is null))')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index totp_user_id_state_unique')
  const confirmed = knex('totp').whereNotNull('confirmed_at').select('user_id')
  await knex('totp').whereNull('confirmed_at').whereIn('user_id', confirmed).delete()
  await knex.schema.alterTable('totp', (t) => t.unique(['user_id']))
}
