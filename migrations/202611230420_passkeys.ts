import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('passkey', (t) => {
    t.string('id', 32).primary()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('passkey_user_index')
    t.string('name', 200).notNullable()
    // At most 1023 bytes, in base64url.
    t.string('credential_id', 1364).notNullable().unique({ indexName: 'passkey_credential_id_unique' })
    t.text('public_key').notNullable()
    // An unsigned number of 32 bits.
    t.bigInteger('counter').notNullable()
    t.string('transports', 1000).notNullable()
    t.string('aaguid', 36).notNullable()
    t.boolean('user_verified').notNullable()
    t.boolean('backup_eligible').notNullable()
    t.boolean('backed_up').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('last_used_at')
  })
  await knex.schema.createTable('passkey_challenge', (t) => {
    t.string('challenge_hash', 64).primary()
    t.string('browser_hash', 64).notNullable()
    t.string('kind', 16).notNullable().checkIn(['registration', 'authentication'], 'passkey_challenge_kind_check')
    t.string('user_id', 32).references('user.id').onDelete('CASCADE').index('passkey_challenge_user_index')
    t.boolean('is_conditional').notNullable()
    t.timestamp('expires_at').notNullable().index('passkey_challenge_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('passkey_challenge')
  await knex.schema.dropTable('passkey')
}
