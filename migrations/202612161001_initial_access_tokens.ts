import type { Knex } from 'knex'

/** Initial access tokens (RFC 7591, section 3). With one of them, its bearer may register some clients. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('initial_access_token', (t) => {
    t.string('id', 32).primary()
    t.string('name', 200).notNullable()
    // SHA-256 of the token.
    t.string('token_hash', 64).notNullable().unique('initial_access_token_hash_unique')
    t.string('hint', 8).notNullable()
    // JSON lists of the types and scopes that the clients may have. Null: not limited.
    t.text('types').notNullable()
    t.text('scopes')
    t.text('redirect_hosts')
    t.integer('max_clients').notNullable()
    t.integer('used_clients').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('expires_at').notNullable()
    t.timestamp('revoked_at')
    t.timestamp('last_used_at')
    t.index(['created_at', 'id'], 'initial_access_token_created_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('initial_access_token')
}
