import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Attempts to sign in that have failed. They are not events (decision 0115): few are stored for each person and network, and only for a
  // while.
  await knex.schema.createTable('sign_in_failure', (t) => {
    t.string('id', 32).primary()
    t.timestamp('occurred_at').notNullable()
    // Later than `occurred_at` if the row counts several attempts.
    t.timestamp('last_at').notNullable()
    t.integer('attempts').notNullable()
    t.string('user_id', 32).references('user.id').onDelete('CASCADE')
    // HMAC-SHA-256 of the address that a person has typed or a provider has named. The key is derived from the master secret.
    t.string('address_key', 44)
    t.string('method', 16).notNullable()
    t.string('provider', 64)
    // There is no foreign key: the attempt may have failed because the application is unknown or was deleted.
    t.string('client_id', 255)
    // A word that the program defines, without a check here, so that a new word needs no migration.
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
