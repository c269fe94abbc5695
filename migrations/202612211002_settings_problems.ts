import type { Knex } from 'knex'

/** An index of daemons that could not adopt the newest settings. `doctor` reads it. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.raw(
    'create index daemon_configuration_problem_index on daemon_configuration (seen_at) where settings_problem is not null',
  )
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index daemon_configuration_problem_index')
}
