import type { Knex } from 'knex'

/** Files of events that the queue makes for those who may read them, in chunks, so that any node goes on with one and sends it. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('event_export', (t) => {
    t.string('id', 32).primary()
    // Whose it is: the kind of a principal, a colon and its id.
    t.string('owner', 300).notNullable()
    // The person, where it is one: what they exported goes with them.
    t.string('user_id', 32).references('user.id').onDelete('CASCADE').index('event_export_user_id_index')
    t.string('format', 8).notNullable().checkIn(['jsonl', 'csv'], 'event_export_format_check')
    // JSON
    t.text('filters').notNullable()
    // Events from this time on are not in it.
    t.timestamp('until').notNullable()
    t.string('status', 8).notNullable().checkIn(['pending', 'running', 'made', 'failed'], 'event_export_status_check')
    t.string('error', 16).checkIn(['too-large', 'interrupted'], 'event_export_error_check')
    // Time of the first event that was looked at, and the place of the last one: whoever has the task next goes on behind it.
    t.timestamp('began_at')
    t.timestamp('place_at')
    t.string('place_id', 64)
    t.integer('chunks').notNullable()
    t.integer('events').notNullable()
    // As it is downloaded.
    t.bigInteger('bytes').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('ended_at')
    t.timestamp('expires_at').notNullable().index('event_export_expires_at_index')
    t.index(['owner', 'created_at', 'id'], 'event_export_owner_index')
  })
  await knex.schema.createTable('event_export_chunk', (t) => {
    t.string('export_id', 32).notNullable().references('event_export.id').onDelete('CASCADE')
    // From 0 on.
    t.integer('number').notNullable()
    // gzip
    t.binary('data').notNullable()
    t.primary(['export_id', 'number'])
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('event_export_chunk')
  await knex.schema.dropTable('event_export')
}
