import type { Knex } from 'knex'

/** Waiting periods of people who have lost their second factors. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('second_factor_recovery', (t) => {
    t.string('id', 32).primary()
    // A user has only one recovery at a time.
    t.string('user_id', 32)
      .notNullable()
      .unique('second_factor_recovery_user_id_unique')
      .references('user.id')
      .onDelete('CASCADE')
    // The stage whose notice was sent last.
    t.string('stage', 16)
      .notNullable()
      .checkIn(['requested', 'halfway', 'last-day', 'ready'], 'second_factor_recovery_stage_check')
    // Browser and network of the request, which the notices name.
    t.string('requester', 255).notNullable()
    t.timestamp('requested_at').notNullable()
    t.timestamp('ready_at').notNullable()
    // Null during the waiting period and while the recovery can be used. Then the time when it expires, was cancelled or was used.
    t.timestamp('ends_at').index('second_factor_recovery_ends_at_index')
    // HMAC, with the master secret, of the code that was mailed last.
    t.string('code_hash', 64)
    t.timestamp('code_expires_at')
    // Number of wrong codes.
    t.integer('code_attempts').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('second_factor_recovery')
}
