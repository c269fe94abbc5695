import type { Knex } from 'knex'

/** Sign-ins by mail that were asked for: one of each browser for each address, whether an account has the address or not. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('mail_sign_in', (t) => {
    t.string('id', 32).primary()
    t.string('email', 254).notNullable()
    // SHA-256 of the address and the id of the browser's signed cookie.
    t.string('browser_hash', 64).notNullable().unique('mail_sign_in_browser_hash_unique')
    // The name for a new account.
    t.string('name', 255)
    // The rest once the mail is made; before, and where none is sent, nothing signs in. Code: HMAC with the master secret.
    t.string('code_hash', 64)
    t.string('link_hash', 64).unique('mail_sign_in_link_hash_unique')
    // Null: the address had no account, and gets one.
    t.string('user_id', 32).references('user.id').onDelete('CASCADE').index('mail_sign_in_user_id_index')
    t.integer('email_version')
    // Wrong codes.
    t.integer('attempts').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('expires_at').notNullable().index('mail_sign_in_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('mail_sign_in')
}
