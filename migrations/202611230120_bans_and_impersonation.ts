import type { Knex } from 'knex'

/**
 * Bans of users, and sessions in which an administrator impersonates a user. Columns are added by plain SQL, because knex would copy whole
 * tables on SQLite.
 */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('user', (t) => {
    // Null: not banned. The next column is the end of a ban; null: the ban lasts until it is lifted.
    t.timestamp('banned_at')
    t.string('ban_reason', 500)
    t.timestamp('ban_expires_at')
  })
  // For the bans of the last minute, which every node asks for, and for lists of banned users. Most users are not in the index.
  await knex.schema.raw('create index user_banned_at_index on "user" (banned_at, id) where banned_at is not null')
  // The session of the administrator. The impersonated session ends together with it, and so also with the administrator's account.
  await knex.schema.raw(
    'alter table session add column impersonator_session_id varchar(32) references session (id) on delete cascade',
  )
  // The user of the administrator's session. There is no foreign key, because the row is deleted together with that session.
  await knex.schema.raw('alter table session add column impersonated_by varchar(32)')
  await knex.schema.raw(
    'create index session_impersonator_session_index on session (impersonator_session_id) where impersonator_session_id is not null',
  )
  await knex.schema.raw(
    'create index session_impersonated_by_index on session (impersonated_by) where impersonated_by is not null',
  )
}

export const down = async (knex: Knex): Promise<void> => {
  // Without its columns, an impersonated session would look like a session of the user.
  await knex('session').whereNotNull('impersonated_by').delete()
  for (const name of ['session_impersonated_by_index', 'session_impersonator_session_index', 'user_banned_at_index'])
    await knex.schema.raw(`drop index ${name}`)
  for (const column of ['impersonated_by', 'impersonator_session_id'])
    await knex.schema.raw(`alter table session drop column ${column}`)
  for (const column of ['ban_expires_at', 'ban_reason', 'banned_at'])
    await knex.schema.raw(`alter table "user" drop column ${column}`)
}
