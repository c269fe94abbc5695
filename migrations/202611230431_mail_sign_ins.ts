import type { Knex } from 'knex'

/** Requested sign-ins by mail: one for each pair of browser and address, whether or not the address has an account. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('mail_sign_in', (t) => {
    t.string('id', 32).primary()
    t.string('email', 254).notNullable()
    // SHA-256 of the address and of the id in the browser's signed cookie.
    t.string('browser_hash', 64).notNullable().unique('mail_sign_in_browser_hash_unique')
    // The name for a new account.
    t.string('name', 255)
    // The remaining columns are set when the mail is made. Before that, and if no mail is sent, the row signs nobody in. The code is
    // stored as an HMAC with the master secret.
    t.string('code_hash', 64)
    t.string('link_hash', 64).unique('mail_sign_in_link_hash_unique')
    // Null: the address had no account, and will get one.
    t.string('user_id', 32).references('user.id').onDelete('CASCADE').index('mail_sign_in_user_id_index')
    t.integer('email_version')
    // Number of wrong codes.
    t.integer('attempts').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('expires_at').notNullable().index('mail_sign_in_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('mail_sign_in')
}
