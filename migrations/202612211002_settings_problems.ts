import type { Knex } from 'knex'

/** Daemons that could not bring the newest settings into effect, for `doctor`. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.raw(
    'create index daemon_configuration_problem_index on daemon_configuration (seen_at) where settings_problem is not null',
  )
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index daemon_configuration_problem_index')
}
