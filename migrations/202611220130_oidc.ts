import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('oauth_client', (t) => {
    t.string('id', 32).primary()
    t.string('client_id', 255).notNullable().unique('oauth_client_client_id_unique')
    t.string('name', 200).notNullable()
    t.text('icon')
    t.text('uri')
    t.text('policy_uri')
    t.text('tos_uri')
    t.text('metadata')
    t.text('client_secret')
    t.text('redirect_urls').notNullable()
    t.text('post_logout_redirect_urls').notNullable()
    // JSON list of further origins whose pages may call the token and userinfo endpoints for this client. The origins of its redirect
    // addresses may do so anyway.
    t.text('web_origins').notNullable()
    t.string('type', 16).notNullable().checkIn(['web', 'spa', 'native', 'machine'], 'oauth_client_type_check')
    t.text('scope').notNullable()
    t.string('id_token_alg', 8).notNullable().checkIn(['RS256', 'ES256', 'EdDSA', 'HS256'], 'oauth_client_id_token_alg_check')
    // Null: oidc.requirePkce decides.
    t.string('pkce', 16).checkIn(['required', 'optional'], 'oauth_client_pkce_check')
    t.boolean('skip_consent').notNullable()
    t.boolean('disabled').notNullable()
    t.string('user_id', 32).references('user.id').onDelete('SET NULL').index('oauth_client_user_id_index')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
  })
  // Codes, tokens and unfinished sign-ins. Foreign keys delete them together with their user, client and session.
  await knex.schema.createTable('oidc_artifact', (t) => {
    t.string('id', 64).primary()
    t.string('kind', 32).notNullable()
    t.string('account_id', 32).references('user.id').onDelete('CASCADE').index('oidc_artifact_account_id_index')
    t.string('client_id', 255).references('oauth_client.client_id').onDelete('CASCADE').index('oidc_artifact_client_id_index')
    t.string('session_id', 32).references('session.id').onDelete('CASCADE').index('oidc_artifact_session_id_index')
    // There are no foreign keys between artifacts, because a token may outlive the grant, code or token from which it was made.
    t.string('grant_id', 64).index('oidc_artifact_grant_id_index')
    t.text('payload').notNullable()
    t.timestamp('consumed_at')
    // The refresh token for which this one was issued, and another one that was issued for the same refresh token.
    t.string('rotated_from', 64)
    t.string('sibling_of', 64)
    t.timestamp('expires_at').notNullable().index('oidc_artifact_expires_at_index')
  })
  await knex.schema.createTable('oauth_consent', (t) => {
    t.string('id', 32).primary()
    t.string('client_id', 255)
      .notNullable()
      .references('oauth_client.client_id')
      .onDelete('CASCADE')
      .index('oauth_consent_client_id_index')
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE')
    t.text('scopes').notNullable()
    t.boolean('consent_given').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
    t.unique(['user_id', 'client_id'], { indexName: 'oauth_consent_user_client_unique' })
  })
  await knex.schema.createTable('signing_key', (t) => {
    t.string('id', 64).primary()
    t.string('alg', 8).notNullable()
    t.integer('generation').notNullable()
    t.text('public_key').notNullable()
    t.text('private_key').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('signs_from').notNullable()
    t.timestamp('retires_at')
    t.unique(['alg', 'generation'], { indexName: 'signing_key_alg_generation_unique' })
  })
  // Increased with every change of clients or keys. Each node polls it.
  await knex.schema.createTable('oidc_version', (t) => {
    t.integer('id').primary()
    t.bigInteger('version').notNullable()
  })
  await knex('oidc_version').insert({ id: 1, version: 1 })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['oidc_version', 'signing_key', 'oauth_consent', 'oidc_artifact', 'oauth_client'])
    await knex.schema.dropTable(table)
}
