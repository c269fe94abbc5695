import type { Knex } from 'knex'

/** Settings of the database, with every change that was made to them; and what each daemon has in effect of them. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('setting_version', (t) => {
    // 1, 2, 3 and so on: who is second to make one is refused.
    t.integer('version').primary()
    t.timestamp('changed_at').notNullable()
    t.string('actor_kind', 20).notNullable()
    // No foreign key: the version outlives who made it.
    t.string('actor_id', 255)
    t.text('reason')
    // The version whose settings it brought back.
    t.integer('reverted_to')
  })
  await knex.schema.createTable('setting_change', (t) => {
    t.string('id', 32).primary()
    t.integer('version').notNullable().references('setting_version.version').onDelete('CASCADE').index()
    t.string('key', 255).notNullable()
    // JSON, in plain text or sealed; neither where the key is stored no more.
    t.text('value')
    t.text('sealed_value')
    // The newest change of its key.
    t.boolean('is_current').notNullable()
    t.unique(['key', 'version'])
  })
  await knex.raw('create unique index setting_change_current_unique on setting_change (key) where is_current')
  await knex.schema.alterTable('daemon_configuration', (t) => {
    t.integer('settings_version').notNullable().defaultTo(0)
    // What keeps it from newer settings.
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
