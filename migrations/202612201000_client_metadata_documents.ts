import type { Knex } from 'knex'

/** Client ID Metadata Documents: when the document of a client was read, and until when it is valid. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('client_metadata_document', (t) => {
    t.string('id', 32).primary().references('oauth_client.id').onDelete('CASCADE')
    // SHA-256 of the metadata that the document contained.
    t.string('digest', 64).notNullable()
    // Why the last attempt failed. Null after a success.
    t.string('problem', 500)
    t.timestamp('read_at').notNullable()
    t.timestamp('refresh_at').notNullable()
    t.timestamp('valid_until').notNullable()
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('client_metadata_document')
}
