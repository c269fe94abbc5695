import type { Knex } from 'knex'

/** Members and teams are named together with their organization, so that the database itself refuses those of another tenant. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('organization', (t) => {
    t.index(['created_at', 'id'], 'organization_created_at_index')
  })
  await knex.schema.alterTable('member', (t) => {
    t.index(['organization_id', 'created_at', 'id'], 'member_organization_created_at_index')
  })
  await knex.schema.alterTable('session', (t) => {
    t.string('active_team_id', 32)
    t.index(['active_organization_id'], 'session_active_organization_index')
  })
  await knex.schema.createTable('team', (t) => {
    t.string('id', 32).primary()
    t.string('organization_id', 32).notNullable().references('organization.id').onDelete('CASCADE')
    t.string('name', 200).notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('updated_at')
    t.unique(['organization_id', 'id'], { indexName: 'team_organization_id_unique' })
    t.index(['organization_id', 'created_at', 'id'], 'team_organization_created_at_index')
  })
  await knex.schema.createTable('team_member', (t) => {
    t.string('id', 32).primary()
    t.string('organization_id', 32).notNullable()
    t.string('team_id', 32).notNullable()
    t.string('user_id', 32).notNullable()
    t.timestamp('created_at').notNullable()
    t.unique(['team_id', 'user_id'], { indexName: 'team_member_team_user_unique' })
    // The team a member joined first, read a hundred times for a page of members, and the teams of a user wherever they are.
    t.index(['user_id', 'organization_id', 'created_at', 'id', 'team_id'], 'team_member_user_index')
    t.index(['team_id', 'created_at', 'id'], 'team_member_team_created_at_index')
    t.foreign(['organization_id', 'team_id']).references(['organization_id', 'id']).inTable('team').onDelete('CASCADE')
    t.foreign(['organization_id', 'user_id']).references(['organization_id', 'user_id']).inTable('member').onDelete('CASCADE')
  })
  await knex.schema.createTable('invitation', (t) => {
    t.string('id', 32).primary()
    t.string('organization_id', 32).notNullable().references('organization.id').onDelete('CASCADE')
    t.string('email', 320).notNullable()
    t.string('role', 255).notNullable()
    t.string('status', 16).notNullable()
    /** JSON list: the teams the invited person joins. */
    t.text('team_ids').notNullable()
    /** Null: an operator invited. No foreign key: it may name somebody who is gone. */
    t.string('inviter_id', 32)
    t.timestamp('expires_at').notNullable()
    t.timestamp('created_at').notNullable()
    t.index(['organization_id', 'created_at', 'id'], 'invitation_organization_created_at_index')
    // Those that wait, and no others, however many were settled or have expired.
    t.index(['organization_id', 'status', 'expires_at'], 'invitation_organization_waiting_index')
    t.index(['email', 'status', 'expires_at'], 'invitation_email_waiting_index')
  })
  await knex.schema.raw(
    "create unique index invitation_pending_unique on invitation (organization_id, email) where status = 'pending'",
  )
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['invitation', 'team_member', 'team']) await knex.schema.dropTable(table)
  await knex.schema.alterTable('session', (t) => {
    t.dropIndex(['active_organization_id'], 'session_active_organization_index')
    t.dropColumn('active_team_id')
  })
  await knex.schema.alterTable('member', (t) => {
    t.dropIndex(['organization_id', 'created_at', 'id'], 'member_organization_created_at_index')
  })
  await knex.schema.alterTable('organization', (t) => {
    t.dropIndex(['created_at', 'id'], 'organization_created_at_index')
  })
}
