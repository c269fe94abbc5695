import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // There are no foreign keys, because an event outlives its subject.
  await knex.schema.createTable('event', (t) => {
    t.string('id', 32).primary()
    t.string('type', 64).notNullable()
    t.timestamp('occurred_at').notNullable()
    t.string('actor_kind', 16).notNullable()
    t.string('actor_id', 255)
    t.string('session_id', 32)
    t.string('impersonator_id', 255)
    t.string('subject_type', 32).notNullable()
    t.string('subject_id', 255).notNullable()
    t.string('organization_id', 255)
    t.string('address', 64).notNullable()
    t.string('user_agent', 512).notNullable()
    t.string('request_id', 255).notNullable()
    t.text('data').notNullable()
    t.bigInteger('position').unique({ indexName: 'event_position_unique' })
    t.string('hash', 64)
    t.index(['occurred_at', 'id'], 'event_occurred_at_index')
    t.index(['type', 'occurred_at'], 'event_type_index')
    t.index(['subject_id', 'occurred_at'], 'event_subject_id_index')
    t.index(['actor_id', 'occurred_at'], 'event_actor_id_index')
    t.index(['organization_id', 'occurred_at'], 'event_organization_id_index')
  })
  await knex.raw('create index event_unsealed_index on event (occurred_at, id) where position is null')
  await knex.schema.createTable('event_chain', (t) => {
    t.string('id', 32).primary()
    t.bigInteger('position').notNullable()
    t.string('hash', 64).notNullable()
    t.bigInteger('start_position').notNullable()
    t.string('start_hash', 64).notNullable()
    t.text('seal').notNullable()
  })
  await knex.schema.createTable('event_checkpoint', (t) => {
    t.string('id', 32).primary()
    t.bigInteger('position').notNullable().unique({ indexName: 'event_checkpoint_position_unique' })
    t.string('hash', 64).notNullable()
    t.timestamp('created_at').notNullable()
    t.text('seal').notNullable()
  })
  await knex.schema.createTable('event_reader', (t) => {
    t.string('name', 64).primary()
    t.bigInteger('position').notNullable()
    t.string('lease', 32)
    t.timestamp('leased_until')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const name of ['event_reader', 'event_checkpoint', 'event_chain', 'event']) await knex.schema.dropTable(name)
}
