import type { Knex } from 'knex'

/** When a node last showed an image of the brand. Null for an image of another owner, which is deleted together with its owner. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('image', (t) => t.timestamp('used_at'))
  await knex.raw("update image set used_at = created_at where kind in ('brand-logo', 'brand-icon')")
  await knex.schema.alterTable('image', (t) => t.index(['used_at']))
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('image', (t) => t.dropIndex(['used_at']))
  await knex.schema.alterTable('image', (t) => t.dropColumn('used_at'))
}
