import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Which refresh token was given for which, and which were given for the same one. Older rows lack both: each ends its family when used again.
  await knex.schema.alterTable('oidc_model', (t) => {
    t.string('rotated_from', 64)
    t.string('sibling_of', 64)
  })
}

export const down = async (knex: Knex): Promise<void> => {
  // A sibling is used up through the other row: without the column it could be used a second time.
  await knex('oidc_model').whereNotNull('sibling_of').delete()
  await knex.schema.alterTable('oidc_model', (t) => {
    t.dropColumns('rotated_from', 'sibling_of')
  })
}
