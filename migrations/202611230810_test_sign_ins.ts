import type { Knex } from 'knex'

/** Sign-ins with which an administrator tests an application. Each is stored for some minutes. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('test_sign_in', (t) => {
    t.string('id', 32).primary()
    t.string('client_id', 255)
      .notNullable()
      .references('oauth_client.client_id')
      .onDelete('CASCADE')
      .index('test_sign_in_client_id_index')
    t.string('session_id', 32).notNullable().references('session.id').onDelete('CASCADE').index('test_sign_in_session_id_index')
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('test_sign_in_user_id_index')
    // SHA-256 of the query that the authorization request must have.
    t.string('query_hash', 64).notNullable()
    // When the browser has sent this request, which it may do only once.
    t.timestamp('opened_at')
    t.timestamp('expires_at').notNullable().index('test_sign_in_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('test_sign_in')
}
