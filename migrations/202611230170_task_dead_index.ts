import type { Knex } from 'knex'

/** Counts of dead tasks by kind. They are few among the many tasks that are done. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.raw("create index task_dead_index on task (kind) where status = 'dead'")
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index task_dead_index')
}
