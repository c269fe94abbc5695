import type { Knex } from 'knex'

/** Sign-ins with two steps: what a user has to prove, what a session has proven, and sign-ins between their steps. */
export const up = async (knex: Knex): Promise<void> => {
  const isPostgres = knex.client.dialect === 'postgresql'
  const time = isPostgres ? 'timestamptz' : 'datetime'
  const flag = isPostgres ? 'boolean not null default false' : 'boolean not null default 0'
  // Columns are added by plain SQL, because knex would copy whole tables on SQLite.
  await knex.raw(`alter table "user" add column two_factor_enabled ${flag}`)
  // Since when the user can prove a second factor. Null: the user cannot.
  await knex.raw(`alter table "user" add column second_factor_since ${time}`)
  // From when on the user has to have a second factor. Null: none is required.
  await knex.raw(`alter table "user" add column second_factor_due ${time}`)
  await knex.raw('alter table session add column factors integer not null default 1')
  await knex.raw(`alter table session add column proven_at ${time}`)
  await knex('session')
    .whereNull('impersonated_by')
    .update({ proven_at: knex.ref('created_at') })
  await knex.schema.createTable('pending_sign_in', (t) => {
    t.string('id', 32).primary()
    t.string('token_hash', 64).notNullable().unique()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('pending_sign_in_user_index')
    t.text('proofs').notNullable()
    t.boolean('remember_me').notNullable()
    t.boolean('must_enrol').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('expires_at').notNullable().index('pending_sign_in_expires_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('pending_sign_in')
  for (const column of ['proven_at', 'factors']) await knex.raw(`alter table session drop column ${column}`)
  for (const column of ['second_factor_due', 'second_factor_since', 'two_factor_enabled'])
    await knex.raw(`alter table "user" drop column ${column}`)
}
