import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // A key is deleted with its owner. Of a secret, only the hash is stored.
  await knex.schema.createTable('api_key', (t) => {
    t.string('id', 32).primary()
    t.string('owner_kind', 16).notNullable().checkIn(['user', 'organization', 'instance'], 'api_key_owner_kind_check')
    t.string('user_id', 32).references('user.id').onDelete('CASCADE')
    t.string('organization_id', 32).references('organization.id').onDelete('CASCADE')
    t.string('name', 200).notNullable()
    // JSON lists. The first one has names of permissions. The second one has addresses and CIDR ranges; if it is empty, the key works
    // everywhere.
    t.text('permissions').notNullable()
    t.text('allowed_networks').notNullable()
    t.integer('requests_per_minute')
    t.boolean('enabled').notNullable()
    t.timestamp('expires_at')
    // The user who created the key. It is only for display: a key of an organization outlives this user.
    t.string('created_by', 32).references('user.id').onDelete('SET NULL').index('api_key_created_by_index')
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at').notNullable()
    t.check(
      `(owner_kind = 'user') = (user_id is not null) and (owner_kind = 'organization') = (organization_id is not null)`,
      [],
      'api_key_owner_check',
    )
    t.index(['created_at', 'id'], 'api_key_created_at_index')
    t.index(['owner_kind', 'created_at', 'id'], 'api_key_owner_kind_index')
    t.index(['user_id', 'created_at', 'id'], 'api_key_user_id_index')
    t.index(['organization_id', 'created_at', 'id'], 'api_key_organization_id_index')
  })
  await knex.schema.createTable('api_key_secret', (t) => {
    t.string('hash', 64).primary()
    t.string('key_id', 32).notNullable().references('api_key.id').onDelete('CASCADE').index('api_key_secret_key_id_index')
    t.timestamp('created_at').notNullable()
    // Set when the secret is replaced. Until this time it is valid beside the newer secret.
    t.timestamp('expires_at').index('api_key_secret_expires_at_index')
    t.timestamp('last_used_at')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['api_key_secret', 'api_key']) await knex.schema.dropTable(table)
}
