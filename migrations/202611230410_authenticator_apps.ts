import type { Knex } from 'knex'

/** Authenticator apps (RFC 6238) and recovery codes. Each user has one app and one list of valid codes. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('totp', (t) => {
    t.string('id', 32).primary()
    t.string('user_id', 32).notNullable().unique().references('user.id').onDelete('CASCADE')
    // The sealed secret.
    t.string('secret', 255).notNullable()
    t.string('issuer', 64).notNullable()
    // Null until a code was proven. Before that the app does not count.
    t.timestamp('confirmed_at')
    // The last step of 30 seconds whose code was used. Null: none was used.
    t.integer('last_step')
    t.timestamp('created_at').notNullable()
  })
  await knex.raw('create index totp_unproven_index on totp (created_at) where confirmed_at is null')
  await knex.schema.createTable('recovery_code_list', (t) => {
    t.string('id', 32).primary()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE')
    // The sealed key of the hashes.
    t.string('key', 255).notNullable()
    // False until the second factor that was added together with the list is proven.
    t.boolean('is_active').notNullable()
    t.timestamp('created_at').notNullable()
    t.unique(['user_id', 'is_active'])
  })
  await knex.schema.createTable('recovery_code', (t) => {
    t.string('list_id', 32).notNullable().references('recovery_code_list.id').onDelete('CASCADE')
    // HMAC-SHA-256 with the key of the list, in base64.
    t.string('code_hash', 44).notNullable()
    t.timestamp('used_at')
    t.primary(['list_id', 'code_hash'])
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['recovery_code', 'recovery_code_list', 'totp']) await knex.schema.dropTable(table)
}
