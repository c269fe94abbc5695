import type { Knex } from 'knex'

/** Browsers in which a user has given a second factor and chosen not to be asked for it again for a while. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('remembered_browser', (t) => {
    t.string('id', 32).primary()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE')
    // SHA-256 of the user's id and of the id in the browser's signed cookie.
    t.string('browser_hash', 64).notNullable()
    t.string('address', 64).notNullable()
    t.string('user_agent', 512).notNullable()
    // When the second factor was given.
    t.timestamp('created_at').notNullable()
    t.timestamp('last_used_at').notNullable()
    t.timestamp('expires_at').notNullable().index('remembered_browser_expires_at_index')
    t.unique(['user_id', 'browser_hash'], { indexName: 'remembered_browser_user_id_browser_hash_unique' })
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('remembered_browser')
}
