import type { Knex } from 'knex'

/**
 * Files of events, which the queue makes for people who may read events. They are stored in chunks, so that any node can continue and
 * send them.
 */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('event_export', (t) => {
    t.string('id', 32).primary()
    // The owner of the export: kind of the principal, colon, id.
    t.string('owner', 300).notNullable()
    // The owner if it is a person. A person's exports are deleted together with the person.
    t.string('user_id', 32).references('user.id').onDelete('CASCADE').index('event_export_user_id_index')
    t.string('format', 8).notNullable().checkIn(['jsonl', 'csv'], 'event_export_format_check')
    // JSON.
    t.text('filters').notNullable()
    // The export contains only events before this time.
    t.timestamp('until').notNullable()
    t.string('status', 8).notNullable().checkIn(['pending', 'running', 'made', 'failed'], 'event_export_status_check')
    t.string('error', 16).checkIn(['too-large', 'interrupted'], 'event_export_error_check')
    // Time of the first event that was read, and the place of the last one, after which the next node continues.
    t.timestamp('began_at')
    t.timestamp('place_at')
    t.string('place_id', 64)
    t.integer('chunks').notNullable()
    t.integer('events').notNullable()
    // Size of the file as it is downloaded.
    t.bigInteger('bytes').notNullable()
    t.timestamp('created_at').notNullable()
    t.timestamp('ended_at')
    t.timestamp('expires_at').notNullable().index('event_export_expires_at_index')
    t.index(['owner', 'created_at', 'id'], 'event_export_owner_index')
  })
  await knex.schema.createTable('event_export_chunk', (t) => {
    t.string('export_id', 32).notNullable().references('event_export.id').onDelete('CASCADE')
    // Counted from 0.
    t.integer('number').notNullable()
    // Compressed by gzip.
    t.binary('data').notNullable()
    t.primary(['export_id', 'number'])
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('event_export_chunk')
  await knex.schema.dropTable('event_export')
}
