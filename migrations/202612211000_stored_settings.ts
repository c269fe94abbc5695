import type { Knex } from 'knex'

/** Settings in the database with all of their changes, and the version of the settings that each daemon has in effect. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('setting_version', (t) => {
    // Counted from 1. If two people make the same version, the second one is refused.
    t.integer('version').primary()
    t.timestamp('changed_at').notNullable()
    t.string('actor_kind', 20).notNullable()
    // There is no foreign key, because the version outlives its actor.
    t.string('actor_id', 255)
    t.text('reason')
    // The version whose settings this version restored.
    t.integer('reverted_to')
  })
  await knex.schema.createTable('setting_change', (t) => {
    t.string('id', 32).primary()
    t.integer('version').notNullable().references('setting_version.version').onDelete('CASCADE').index()
    t.string('key', 255).notNullable()
    // JSON, in plain text or sealed. Both columns are null if the change removed the key.
    t.text('value')
    t.text('sealed_value')
    // True for the newest change of a key.
    t.boolean('is_current').notNullable()
    t.unique(['key', 'version'])
  })
  await knex.raw('create unique index setting_change_current_unique on setting_change (key) where is_current')
  await knex.schema.alterTable('daemon_configuration', (t) => {
    t.integer('settings_version').notNullable().defaultTo(0)
    // What keeps the daemon from newer settings.
    t.text('settings_problem')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('daemon_configuration', (t) => {
    t.dropColumn('settings_version')
    t.dropColumn('settings_problem')
  })
  await knex.schema.dropTable('setting_change')
  await knex.schema.dropTable('setting_version')
}
