import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // Who asked for a mail: mails that one network asks for must not use up those of another.
  await knex.schema.alterTable('mail_request', (t) => {
    t.string('network', 64).notNullable().defaultTo('')
    t.string('device_id', 64)
  })
  await knex.schema.alterTable('mail_outbox', (t) => {
    t.string('asked_by', 64)
  })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('mail_request', (t) => {
    t.dropColumns('network', 'device_id')
  })
  await knex.schema.alterTable('mail_outbox', (t) => {
    t.dropColumn('asked_by')
  })
}
