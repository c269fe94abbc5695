import type { Knex } from 'knex'

/** Members and teams are referred to together with their organization, so that the database itself refuses those of another tenant. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('organization', (t) => {
    t.string('id', 32).primary()
    t.string('name', 200).notNullable()
    t.string('slug', 64).notNullable().unique('organization_slug_unique')
    t.text('logo')
    t.text('metadata')
    t.timestamp('created_at').notNullable()
    t.index(['created_at', 'id'], 'organization_created_at_index')
  })
  await knex.schema.createTable('member', (t) => {
    t.string('id', 32).primary()
    t.string('organization_id', 32).notNullable().references('organization.id').onDelete('CASCADE')
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('member_user_id_index')
    // All roles in the given order, joined by commas. Members are shown and sorted by this column. Queries about a single role read
    // member_role.
    t.string('role', 255).notNullable()
    t.timestamp('created_at').notNullable()
    t.unique(['organization_id', 'user_id'], { indexName: 'member_organization_user_unique' })
    t.index(['organization_id', 'created_at', 'id'], 'member_organization_created_at_index')
  })
  // Which users have a role, and which roles a user has.
  await knex.schema.createTable('member_role', (t) => {
    t.string('organization_id', 32).notNullable()
    t.string('user_id', 32).notNullable()
    t.string('role', 255).notNullable()
    t.primary(['organization_id', 'role', 'user_id'])
    t.index(['user_id', 'organization_id'], 'member_role_user_index')
    t.foreign(['organization_id', 'user_id']).references(['organization_id', 'user_id']).inTable('member').onDelete('CASCADE')
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
    // Used to find the team that a member joined first (a hundred times for a page of members), and all teams of a user.
    t.index(['user_id', 'organization_id', 'created_at', 'id', 'team_id'], 'team_member_user_index')
    t.index(['team_id', 'created_at', 'id'], 'team_member_team_created_at_index')
    t.foreign(['organization_id', 'team_id']).references(['organization_id', 'id']).inTable('team').onDelete('CASCADE')
    t.foreign(['organization_id', 'user_id']).references(['organization_id', 'user_id']).inTable('member').onDelete('CASCADE')
  })
  await knex.schema.createTable('invitation', (t) => {
    t.string('id', 32).primary()
    t.string('organization_id', 32).notNullable().references('organization.id').onDelete('CASCADE')
    t.string('email', 254).notNullable()
    t.string('role', 255).notNullable()
    t.string('status', 16).notNullable().checkIn(['pending', 'accepted', 'rejected', 'canceled'], 'invitation_status_check')
    // JSON list of the teams that the invited person joins. It has no foreign key: accepting the invitation skips a team that was deleted
    // meanwhile, and no statement looks for the invitations of a team.
    t.text('team_ids').notNullable()
    // Null if an operator invited, and after the inviter was deleted. Without an inviter, the invitation is no longer valid.
    t.string('inviter_id', 32).references('user.id').onDelete('SET NULL').index('invitation_inviter_id_index')
    t.boolean('by_operator').notNullable()
    t.timestamp('expires_at').notNullable()
    t.timestamp('created_at').notNullable()
    t.index(['organization_id', 'created_at', 'id'], 'invitation_organization_created_at_index')
    // Used only for pending invitations, however many were answered or have expired.
    t.index(['organization_id', 'status', 'expires_at'], 'invitation_organization_status_index')
    t.index(['email', 'status', 'expires_at'], 'invitation_email_status_index')
  })
  await knex.schema.raw(
    "create unique index invitation_pending_unique on invitation (organization_id, email) where status = 'pending'",
  )
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['invitation', 'team_member', 'team', 'member_role', 'member', 'organization'])
    await knex.schema.dropTable(table)
}
