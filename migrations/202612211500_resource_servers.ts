import type { Knex } from 'knex'

/**
 * APIs that accept tokens of this server (RFC 8707), the applications that may request such tokens, and the secrets with which APIs
 * inspect tokens.
 */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('resource_server', (t) => {
    t.string('id', 36).primary()
    t.string('identifier', 500).notNullable()
    // The identifier in the form in which it is compared with requests: an address without a path gets "/".
    t.string('identifier_key', 501).notNullable().unique('resource_server_identifier_key_unique')
    t.string('name', 200).notNullable()
    // JSON of the scopes, with their descriptions and conditions.
    t.text('scopes').notNullable()
    t.string('token_format', 16).notNullable()
    t.string('signing_alg', 16).notNullable()
    t.integer('token_ttl_seconds').notNullable()
    t.string('access', 16).notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
    t.index(['created_at', 'id'], 'resource_server_created_at_index')
    t.check("token_format in ('jwt', 'opaque')", {}, 'resource_server_token_format_check')
    t.check("signing_alg in ('RS256', 'ES256', 'EdDSA')", {}, 'resource_server_signing_alg_check')
    t.check("access in ('all', 'listed')", {}, 'resource_server_access_check')
  })
  await knex.schema.createTable('resource_server_client', (t) => {
    t.string('resource_server_id', 36).notNullable().references('resource_server.id').onDelete('CASCADE')
    // Refers to the row and not to the client_id, so that a later application with the same client_id inherits nothing.
    t.string('oauth_client_id', 32).notNullable().references('oauth_client.id').onDelete('CASCADE')
    // JSON. Null: every scope of the API.
    t.text('scopes')
    // JSON of the audiences whose tokens the application may exchange for tokens of the API (RFC 8693).
    t.text('exchange_from').notNullable()
    t.primary(['resource_server_id', 'oauth_client_id'])
    t.index(['oauth_client_id'], 'resource_server_client_client_index')
  })
  await knex.schema.createTable('resource_server_secret', (t) => {
    t.string('id', 32).primary()
    t.string('resource_server_id', 36).notNullable().references('resource_server.id').onDelete('CASCADE')
    // There are two slots, so that an API never has three secrets, even if two people rotate it at the same moment.
    t.integer('slot').notNullable()
    // SHA-256 of the secret.
    t.string('hash', 64).notNullable()
    t.string('hint', 8).notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('expires_at')
    t.timestamp('last_used_at')
    t.unique(['resource_server_id', 'slot'], { indexName: 'resource_server_secret_slot_unique' })
    t.check('slot in (1, 2)', {}, 'resource_server_secret_slot_check')
  })
  // An exchanged token is deleted together with the token for which it was issued.
  await knex.raw('alter table oidc_artifact add column exchanged_from varchar(64) references oidc_artifact(id) on delete cascade')
  await knex.raw(
    'create index oidc_artifact_exchanged_from_index on oidc_artifact (exchanged_from) where exchanged_from is not null',
  )
}

export const down = async (knex: Knex): Promise<void> => {
  // Without the column, these tokens would outlive the tokens for which they were issued.
  await knex('oidc_artifact').whereNotNull('exchanged_from').delete()
  await knex.raw('drop index oidc_artifact_exchanged_from_index')
  await knex.raw('alter table oidc_artifact drop column exchanged_from')
  for (const name of ['resource_server_secret', 'resource_server_client', 'resource_server']) await knex.schema.dropTable(name)
}
