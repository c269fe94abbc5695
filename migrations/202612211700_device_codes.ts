import type { Knex } from 'knex'

/** Device authorization (RFC 8628): what a code on a screen leads to, and whether a person has decided. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('device_code', (t) => {
    // That of the artifact, which has everything else.
    t.string('id', 64).primary().references('oidc_artifact.id').onDelete('CASCADE')
    // Signature of the code that a person types: whoever reads the table cannot try all of them.
    t.string('user_code', 64).notNullable().unique()
    // When the program last asked; null: not yet.
    t.timestamp('polled_at')
    // When a person agreed or refused; null: nobody has. Of two decisions at once one is the first.
    t.timestamp('decided_at')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('device_code')
}
