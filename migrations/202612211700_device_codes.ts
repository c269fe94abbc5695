import type { Knex } from 'knex'

/** Device authorization (RFC 8628): what the code on a screen leads to, and whether a person has decided. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('device_code', (t) => {
    // The id of the artifact, which contains all other data.
    t.string('id', 64).primary().references('oidc_artifact.id').onDelete('CASCADE')
    // Signature of the code that a person types. A reader of the table cannot find the code by trying all codes.
    t.string('user_code', 64).notNullable().unique()
    // When the program last asked. Null: it has not asked yet.
    t.timestamp('polled_at')
    // When a person has agreed or refused. Null: nobody has. Of two decisions at the same time, one is the first.
    t.timestamp('decided_at')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('device_code')
}
