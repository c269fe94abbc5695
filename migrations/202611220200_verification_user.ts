import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Whose link it is: a further one is left out only while its owner has one that is good.
  await knex.schema.alterTable('verification', (t) => {
    t.string('user_id', 32).index('verification_user_id_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('verification', (t) => {
    t.dropIndex('user_id', 'verification_user_id_index')
    t.dropColumn('user_id')
  })
}
