import type { Knex } from 'knex'

/** Codes sent by mail as a second factor, and users who may not use such codes for now. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('mail_code', (t) => {
    t.string('id', 32).primary()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('mail_code_user_id_index')
    // SHA-256 of the token of the unfinished sign-in, or of the id of the session, for which the code was requested.
    t.string('bound_hash', 64).notNullable().unique('mail_code_bound_hash_unique')
    // HMAC of the code with the master secret.
    t.string('code_hash', 64).notNullable()
    t.integer('email_version').notNullable()
    // Number of wrong codes.
    t.integer('attempts').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('expires_at').notNullable().index('mail_code_expires_at_index')
  })
  // Users whose password was reset by mail. For them the mailbox would be both factors. The row is deleted when another second factor is
  // given.
  await knex.schema.createTable('mail_code_block', (t) => {
    t.string('user_id', 32).primary().references('user.id').onDelete('CASCADE')
    t.timestamp('created_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['mail_code_block', 'mail_code']) await knex.schema.dropTable(table)
}
