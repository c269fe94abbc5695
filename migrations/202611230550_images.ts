import type { Knex } from 'knex'

/** Pictures and logos as they are served: read, checked and encoded anew before they came here. One of a kind for each owner. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('image', (t) => {
    // Part of its address: whoever does not know it does not find the image.
    t.string('id', 32).primary()
    t.string('kind', 32)
      .notNullable()
      .checkIn(['user-picture', 'organization-logo', 'client-logo', 'brand-logo', 'brand-icon'], 'image_kind_check')
    // Id of a user, an organization or an application, by the kind; of a brand the hash of the file.
    t.string('owner_id', 255).notNullable()
    // SHA-256 of what came in and how it is treated: the same again is not read again.
    t.string('source_hash', 64).notNullable()
    t.string('media_type', 32).notNullable().checkIn(['image/webp', 'image/png', 'image/svg+xml'], 'image_media_type_check')
    t.integer('width').notNullable()
    t.integer('height').notNullable()
    t.binary('bytes').notNullable()
    t.timestamp('created_at').notNullable()
    t.unique(['kind', 'owner_id'])
    t.index(['owner_id'])
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('image')
}
