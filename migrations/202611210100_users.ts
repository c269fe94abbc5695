import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('user', (t) => {
    t.string('id', 32).primary()
    t.string('name', 200).notNullable()
    t.string('email', 320).notNullable().unique('user_email_unique')
    t.boolean('email_verified').notNullable()
    t.text('image')
    t.string('role', 100).notNullable()
    t.integer('language')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
  })
  await knex.schema.createTable('session', (t) => {
    t.string('id', 32).primary()
    t.string('token_hash', 64).notNullable().unique('session_token_hash_unique')
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('session_user_id_index')
    t.timestamp('expires_at').notNullable().index('session_expires_at_index')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
    t.string('ip_address', 64).notNullable()
    t.string('user_agent', 512).notNullable()
    t.boolean('remember_me').notNullable()
    t.string('active_organization_id', 32)
  })
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
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
    t.unique(['provider_id', 'account_id'], { indexName: 'account_provider_account_unique' })
  })
  await knex.schema.createTable('verification', (t) => {
    t.string('id', 32).primary()
    t.string('identifier', 255).notNullable().index('verification_identifier_index')
    t.text('value').notNullable()
    t.timestamp('expires_at').notNullable().index('verification_expires_at_index')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['verification', 'account', 'session', 'user']) await knex.schema.dropTable(table)
}
