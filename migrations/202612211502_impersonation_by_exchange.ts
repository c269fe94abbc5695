import type { Knex } from 'knex'

/** Applications through which administrators can impersonate a user at an API. */
export const up = (knex: Knex): Promise<void> =>
  knex.schema.alterTable('resource_server_client', (t) => {
    t.boolean('may_impersonate').notNullable().defaultTo(false)
  })

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table resource_server_client drop column may_impersonate')
}
