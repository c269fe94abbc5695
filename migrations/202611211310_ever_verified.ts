import type { Knex } from 'knex'

export const up = async (knex: Knex): Promise<void> => {
  // An account that was somebody's by proof once does not go to whoever proves the address it has by now.
  await knex.schema.alterTable('user', (t) => {
    t.boolean('email_ever_verified').notNullable().defaultTo(false)
  })
  // What was before a change of address is not known: better refuse than give away.
  await knex('user').where({ email_verified: true }).orWhere('email_version', '>', 0).update({ email_ever_verified: true })
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('user', (t) => {
    t.dropColumn('email_ever_verified')
  })
}
