import type { Knex } from 'knex'

/**
 * Pictures and logos in the form in which they are served. They were checked, decoded and encoded again before they were stored. Each
 * owner has one image of a kind.
 */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('image', (t) => {
    // A part of the image's address. Nobody can find the image without knowing it.
    t.string('id', 32).primary()
    t.string('kind', 32)
      .notNullable()
      .checkIn(['user-picture', 'organization-logo', 'client-logo', 'brand-logo', 'brand-icon'], 'image_kind_check')
    // Id of a user, an organization or an application, depending on the kind. For a brand, the hash of the file.
    t.string('owner_id', 255).notNullable()
    // SHA-256 of the source and of how it is treated. If the same source arrives again, it is not decoded again.
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
