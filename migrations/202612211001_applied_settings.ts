import type { Knex } from 'knex'

const former = ['organization', 'team', 'client', 'endpoint']

/** SQLite cannot change a constraint of a table, so the table is created again. */
const change = async (knex: Knex, kinds: readonly string[]): Promise<void> => {
  if (knex.client.dialect === 'postgresql') {
    const list = kinds.map((kind) => `'${kind}'`).join(', ')
    await knex.raw('alter table applied_object drop constraint applied_object_kind_check')
    await knex.raw(`alter table applied_object add constraint applied_object_kind_check check (kind in (${list}))`)
    return
  }
  await knex.schema.renameTable('applied_object', 'applied_object_before')
  await knex.schema.createTable('applied_object', (t) => {
    t.string('kind', 16)
      .notNullable()
      .checkIn([...kinds], 'applied_object_kind_check')
    t.string('key', 400).notNullable()
    t.string('object_id', 128).notNullable()
    t.string('source', 1000).notNullable()
    t.boolean('is_made').notNullable()
    t.boolean('is_declared').notNullable()
    t.text('form').notNullable()
    t.string('secret_hash', 64)
    t.timestamp('applied_at').notNullable()
    t.primary(['kind', 'key'])
  })
  await knex.raw('insert into applied_object select * from applied_object_before')
  await knex.schema.dropTable('applied_object_before')
}

/** Declarations can contain settings. */
export const up = (knex: Knex): Promise<void> => change(knex, [...former, 'setting'])

export const down = async (knex: Knex): Promise<void> => {
  await knex('applied_object').where('kind', 'setting').delete()
  await change(knex, former)
}
