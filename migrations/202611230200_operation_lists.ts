import type { Knex } from 'knex'

/** Indexes for lists of mails, tasks and deliveries, newest first. Each filter finds its rows in the order of the list. */
export const up = async (knex: Knex): Promise<void> => {
  const position = knex.client.dialect === 'postgresql' ? 'strpos' : 'instr'
  await knex.raw('create index task_created_at_index on task (created_at, id)')
  await knex.raw('create index task_kind_created_at_index on task (kind, created_at, id)')
  // The text after the first word of a label. For a mail, it is the address.
  await knex.raw(
    `create index task_about_index on task (kind, substr(label, ${position}(label, ' ') + 1), created_at, id) where label is not null`,
  )
  // Dead tasks are few among the many tasks that are done.
  await knex.raw('drop index task_dead_index')
  await knex.raw("create index task_dead_index on task (kind, created_at, id) where status = 'dead'")
  await knex.raw("create index task_dead_created_at_index on task (created_at, id) where status = 'dead'")
}

export const down = async (knex: Knex): Promise<void> => {
  const names = ['task_created_at_index', 'task_kind_created_at_index', 'task_about_index', 'task_dead_created_at_index']
  for (const name of [...names, 'task_dead_index']) await knex.raw(`drop index ${name}`)
  await knex.raw("create index task_dead_index on task (kind) where status = 'dead'")
}
