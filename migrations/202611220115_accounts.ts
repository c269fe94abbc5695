import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('account', (t) => {
    t.string('id', 32).primary()
    t.string('account_id', 255).notNullable()
    t.string('provider_id', 64).notNullable()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('account_user_id_index')
    t.text('access_token')
    t.text('refresh_token')
    t.text('id_token')
    t.timestamp('access_token_expires_at')
    t.timestamp('refresh_token_expires_at')
    t.text('scope')
    t.text('password')
    t.string('device_id', 255)
    t.timestamp('refresh_claimed_until')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
    t.unique(['provider_id', 'account_id'], { indexName: 'account_provider_account_unique' })
  })
  await knex.schema.createTable('verification', (t) => {
    t.string('id', 32).primary()
    t.string('identifier', 255).notNullable().index('verification_identifier_index')
    t.text('value').notNullable()
    // The user who gets the link by mail. Null for values without a user, such as the state of a federated sign-in.
    t.string('user_id', 32).references('user.id').onDelete('CASCADE').index('verification_user_id_index')
    t.timestamp('expires_at').notNullable().index('verification_expires_at_index')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
  })
  // Links by which the owner of a former address takes the account back.
  await knex.schema.createTable('address_recovery', (t) => {
    t.string('id', 64).primary()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('address_recovery_user_id_index')
    t.string('email', 254).notNullable()
    t.integer('email_version').notNullable()
    t.timestamp('expires_at').notNullable().index('address_recovery_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['address_recovery', 'verification', 'account']) await knex.schema.dropTable(table)
}
