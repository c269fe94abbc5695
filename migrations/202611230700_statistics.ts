import type { Knex } from 'knex'

/** Daily numbers, the people who were active each day, and since when a check has had a finding. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('statistic', (t) => {
    // A day in UTC, such as 2026-11-23. For weeks and months, their first day.
    t.string('day', 10).notNullable()
    t.string('measure', 32).notNullable()
    // What is counted separately: a method, a reason, an application. Empty for a measure without keys.
    t.string('key', 255).notNullable()
    t.integer('amount').notNullable()
    t.primary(['day', 'measure', 'key'])
  })
  await knex.schema.createTable('statistic_progress', (t) => {
    t.string('id', 32).primary()
    // The position of the last counted event.
    t.bigInteger('position').notNullable()
    t.timestamp('through').notNullable()
  })
  // One row for each person and period, so that nobody is counted twice. It is deleted a while after the period has ended.
  await knex.schema.createTable('activity', (t) => {
    // 2026-11-23, 2026-W48 or 2026-11.
    t.string('period', 10).notNullable()
    // Empty without an application. There is no foreign key, because a row outlives its application only by some days.
    t.string('client_id', 255).notNullable()
    t.string('user_id', 32).notNullable().references('user.id').onDelete('CASCADE').index('activity_user_id_index')
    // The last day of the period.
    t.string('ends_on', 10).notNullable().index('activity_ends_on_index')
    t.primary(['period', 'client_id', 'user_id'])
  })
  await knex.schema.createTable('finding', (t) => {
    // SHA-256 of the name of the check and of its finding without numbers.
    t.string('id', 64).primary()
    t.timestamp('since').notNullable()
    t.timestamp('seen_at').notNullable().index('finding_seen_at_index')
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.dropTable('finding')
  await knex.schema.dropTable('activity')
  await knex.schema.dropTable('statistic_progress')
  await knex.schema.dropTable('statistic')
}
