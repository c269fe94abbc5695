import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
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
    // How the user was authenticated: a JSON list of RFC 8176 values, the authentication context class, and a JSON list of the methods
    // with the time of each proof.
    t.text('amr').notNullable()
    t.string('acr', 64).notNullable()
    t.text('proofs').notNullable()
    t.string('active_organization_id', 32)
      .references('organization.id')
      .onDelete('SET NULL')
      .index('session_active_organization_index')
    t.string('active_team_id', 32).references('team.id').onDelete('SET NULL')
  })
  // Used only for the deletion of a team. Most sessions have no team, and starting a session does not write to this index.
  await knex.schema.raw('create index session_active_team_index on session (active_team_id) where active_team_id is not null')
  await knex.schema.createTable('known_device', (t) => {
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE')
    t.string('key_hash', 64).notNullable()
    t.timestamp('last_used_at').notNullable().index('known_device_last_used_at_index')
    t.primary(['user_id', 'key_hash'])
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['known_device', 'session']) await knex.schema.dropTable(table)
}
