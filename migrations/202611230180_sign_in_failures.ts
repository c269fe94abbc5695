import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Attempts to sign in that failed: no events (decision 0115), few for each person and network, and kept for a while only.
  await knex.schema.createTable('sign_in_failure', (t) => {
    t.string('id', 32).primary()
    t.timestamp('occurred_at').notNullable()
    // Behind `occurred_at` where a row counts several attempts.
    t.timestamp('last_at').notNullable()
    t.integer('attempts').notNullable()
    t.string('user_id', 32).references('user.id').onDelete('CASCADE')
    // HMAC-SHA-256 of the address that was typed or that a provider named, by a key of the master secret.
    t.string('address_key', 44)
    t.string('method', 16).notNullable()
    t.string('provider', 64)
    // No foreign key: that an application is unknown, or was deleted, is what an attempt may have failed for.
    t.string('client_id', 255)
    // Words of the program: a new one needs no migration.
    t.string('reason', 40).notNullable()
    t.string('code', 100).notNullable()
    // Small facts as JSON, such as the seconds to wait.
    t.string('detail', 500).notNullable()
    t.string('address', 64).notNullable()
    t.string('network', 64).notNullable()
    t.string('user_agent', 512).notNullable()
    t.string('request_id', 64).notNullable()
    t.index(['user_id', 'occurred_at', 'id'], 'sign_in_failure_user_index')
    t.index(['address_key', 'occurred_at', 'id'], 'sign_in_failure_address_key_index')
    t.index(['address', 'occurred_at', 'id'], 'sign_in_failure_address_index')
    t.index(['request_id', 'occurred_at', 'id'], 'sign_in_failure_request_index')
    t.index(['occurred_at', 'id'], 'sign_in_failure_occurred_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('sign_in_failure')
}
