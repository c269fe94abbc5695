import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // The reason that the actor of an event has given. An event without a reason keeps the hash that it had before this column existed.
  await knex.schema.alterTable('event', (t) => {
    t.string('reason', 500)
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('event', (t) => t.dropColumn('reason'))
}
