import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // The objects that declarations of operators have created or taken over. Only these objects are deleted by a declaration, and only they
  // are compared to find drift.
  await knex.schema.createTable('applied_object', (t) => {
    t.string('kind', 16).notNullable().checkIn(['organization', 'team', 'client', 'endpoint'], 'applied_object_kind_check')
    // The name in the declaration: client id, slug, slug/team, or name of the endpoint.
    t.string('key', 400).notNullable()
    // The object is in one of four tables. There is no foreign key: if somebody else deletes the object, that is drift to report.
    t.string('object_id', 128).notNullable()
    // The declaration that names the object.
    t.string('source', 1000).notNullable()
    // False if the object existed before. It is then never deleted.
    t.boolean('is_made').notNullable()
    // False when the declaration no longer names the object.
    t.boolean('is_declared').notNullable()
    // JSON of the declared fields, as the last change by a declaration has left them.
    t.text('form').notNullable()
    // Hash of the secret that the declaration has written; authentication uses another hash. A secret that an operator has revoked since
    // is not written again.
    t.string('secret_hash', 64)
    t.timestamp('applied_at').notNullable()
    t.primary(['kind', 'key'])
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('applied_object')
}
