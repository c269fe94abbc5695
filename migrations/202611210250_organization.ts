import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('organization', (t) => {
    t.string('id', 32).primary()
    t.string('name', 200).notNullable()
    t.string('slug', 64).notNullable().unique('organization_slug_unique')
    t.text('logo')
    t.text('metadata')
    t.timestamp('created_at').notNullable()
  })
  await knex.schema.createTable('member', (t) => {
    t.string('id', 32).primary()
    t.string('organization_id', 32).notNullable().references('organization.id').onDelete('CASCADE')
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('member_user_id_index')
    t.string('role', 255).notNullable()
    t.timestamp('created_at').notNullable()
    t.unique(['organization_id', 'user_id'], { indexName: 'member_organization_user_unique' })
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['member', 'organization']) await knex.schema.dropTable(table)
}
