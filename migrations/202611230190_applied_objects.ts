import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // What declarations of operators have made or taken over: only that is removed with a declaration, and drift is measured by it.
  await knex.schema.createTable('applied_object', (t) => {
    t.string('kind', 16).notNullable().checkIn(['organization', 'team', 'client', 'endpoint'], 'applied_object_kind_check')
    // Its name in the declaration: client id, slug, slug/team or name of the endpoint.
    t.string('key', 400).notNullable()
    // The object may be of four tables and be deleted by others: that is drift, so there is no foreign key.
    t.string('object_id', 128).notNullable()
    // The declaration that names it.
    t.string('source', 1000).notNullable()
    // False for an object that was there before: it is never removed.
    t.boolean('is_made').notNullable()
    // False once the declaration names it no more.
    t.boolean('is_declared').notNullable()
    // JSON: its declared fields as they were after the last change by a declaration.
    t.text('form').notNullable()
    // Of the secret that was written, not the one that authenticates: a secret that was taken back since is not brought back.
    t.string('secret_hash', 64)
    t.timestamp('applied_at').notNullable()
    t.primary(['kind', 'key'])
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('applied_object')
}
