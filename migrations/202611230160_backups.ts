import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Which backups were written, and where, so that retention deletes only files that this instance has made. The files themselves contain
  // all that a restore needs.
  await knex.schema.createTable('backup', (t) => {
    t.string('id', 32).primary()
    t.string('status', 16).notNullable().checkIn(['pending', 'running', 'made', 'failed', 'deleted'], 'backup_status_check')
    t.string('reason', 16).notNullable().checkIn(['command', 'call', 'schedule'], 'backup_reason_check')
    t.timestamp('started_at').notNullable()
    t.timestamp('ended_at')
    // About a written file: its path, and what it contains.
    t.text('file')
    t.bigInteger('bytes')
    t.bigInteger('row_count')
    t.string('sha256', 64)
    t.boolean('has_keys')
    // Why there is no file.
    t.string('error', 500)
    t.index(['started_at', 'id'], 'backup_started_at_index')
    t.index(['status', 'started_at', 'id'], 'backup_status_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('backup')
}
