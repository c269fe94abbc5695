import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Of the call that asked for the mail; the user's own choice goes before it.
  await knex.schema.alterTable('mail_request', (t) => {
    t.integer('language')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('mail_request', (t) => {
    t.dropColumn('language')
  })
}
