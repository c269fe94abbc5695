import type { Knex } from 'knex'

/** An index of events by their reason, in the order of time. Events without a reason are not in it. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('create index event_reason_index on event (reason, occurred_at, id) where reason is not null')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index event_reason_index')
}
