import type { Knex } from 'knex'

/** OpenID Connect Back-Channel Logout 1.0: the notices to applications about ended sessions, and their answers. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('logout_notice', (t) => {
    t.string('id', 32).primary()
    t.string('client_id', 255).notNullable().references('oauth_client.client_id').onDelete('CASCADE')
    // There are no foreign keys, because an application gets the notice after the user or session was deleted.
    t.string('user_id', 32).notNullable()
    t.string('session_id', 32).notNullable()
    t.string('cause', 64).notNullable()
    t.string('state', 16).notNullable().checkIn(['waiting', 'delivered', 'failed', 'dropped'], 'logout_notice_state_check')
    t.integer('attempts').notNullable()
    t.integer('answer')
    t.string('problem', 500)
    t.timestamp('created_at').notNullable()
    t.timestamp('attempted_at')
    t.timestamp('expires_at').notNullable()
    t.index(['client_id', 'created_at', 'id'], 'logout_notice_client_index')
    t.index(['user_id', 'created_at', 'id'], 'logout_notice_user_index')
    t.index(['created_at', 'id'], 'logout_notice_created_at_index')
    t.index(['expires_at'], 'logout_notice_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('logout_notice')
}
