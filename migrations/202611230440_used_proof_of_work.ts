import type { Knex } from 'knex'

/** Challenges that were solved and used, so that each counts only once. They are kept until no node accepts them any more. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('used_proof_of_work', (t) => {
    t.string('id', 32).primary()
    t.timestamp('expires_at').notNullable()
    t.index(['expires_at'], 'used_proof_of_work_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('used_proof_of_work')
}
