import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('task', (t) => {
    // The order of tasks with the same key. Times are no substitute: those of several nodes may be equal or run backwards.
    t.bigIncrements('sequence')
    t.string('id', 32).notNullable().unique({ indexName: 'task_id_unique' })
    t.string('kind', 64).notNullable()
    t.string('key', 255)
    // Plain text by which a feature finds its tasks, for example all tasks about one address.
    t.string('label', 320)
    t.text('details')
    t.text('payload')
    t.string('status', 16).notNullable().checkIn(['pending', 'running', 'done', 'dead'], 'task_status_check')
    t.integer('attempts').notNullable()
    t.timestamp('due_at').notNullable()
    t.string('lease_token', 32)
    t.text('last_error')
    t.timestamp('created_at').notNullable()
    t.timestamp('expires_at')
    t.index(['expires_at'], 'task_expires_at_index')
  })
  await knex.raw("create index task_due_index on task (kind, due_at) where status in ('pending', 'running')")
  await knex.raw("create index task_key_index on task (kind, key, sequence) where status in ('pending', 'running')")
  await knex.raw('create index task_label_index on task (kind, label, created_at) where label is not null')
  // If two nodes take different tasks of one key for the first one, this index refuses the second of them.
  await knex.raw("create unique index task_running_key_unique on task (kind, key) where status = 'running'")
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('task')
}
