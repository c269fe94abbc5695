import type { Knex } from 'knex'

/** The filters of events, each with the condition for rows in its index. An event that does not meet the condition is not found by the filter. */
const filters: Readonly<Record<string, string | undefined>> = {
  type: undefined,
  subject_id: undefined,
  address: undefined,
  request_id: undefined,
  actor_id: 'actor_id is not null',
  session_id: 'session_id is not null',
  impersonator_id: 'impersonator_id is not null',
  organization_id: 'organization_id is not null',
  // Nearly all actors are users. Their events are found by time.
  actor_kind: "actor_kind <> 'user'",
}
const replaced = ['type', 'subject_id', 'actor_id', 'organization_id']
const indexOf = (column: string) => `event_${column}_index`

export const up = async (knex: Knex): Promise<void> => {
  // The new indexes end with the id, so that a page can begin after any event.
  for (const column of replaced) await knex.raw(`drop index ${indexOf(column)}`)
  for (const [column, condition] of Object.entries(filters))
    await knex.raw(
      `create index ${indexOf(column)} on event (${column}, occurred_at, id)${condition === undefined ? '' : ` where ${condition}`}`,
    )
  // Places where sealing continued after somebody had changed the head of the chain from outside.
  await knex.schema.createTable('event_segment', (t) => {
    t.string('id', 32).primary()
    t.bigInteger('position').notNullable().unique({ indexName: 'event_segment_position_unique' })
    t.string('start_hash', 64).notNullable()
    t.timestamp('created_at').notNullable()
    t.text('seal').notNullable()
  })
  await knex.schema.alterTable('event_reader', (t) => {
    t.timestamp('failing_since')
    t.integer('failures').notNullable().defaultTo(0)
    t.string('last_error', 500)
  })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const column of ['last_error', 'failures', 'failing_since'])
    await knex.schema.alterTable('event_reader', (t) => t.dropColumn(column))
  await knex.schema.dropTable('event_segment')
  for (const column of Object.keys(filters)) await knex.raw(`drop index ${indexOf(column)}`)
  for (const column of replaced) await knex.raw(`create index ${indexOf(column)} on event (${column}, occurred_at)`)
}
