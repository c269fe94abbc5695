import type { Knex } from 'knex'

/** When a consent ended: codes from before are worth nothing. */
export const up = async (knex: Knex): Promise<void> => {
  const time = knex.client.dialect === 'postgresql' ? 'timestamptz' : 'datetime'
  // Added as text: knex would copy the whole table on SQLite.
  await knex.raw(`alter table oauth_consent add column not_before ${time}`)
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table oauth_consent drop column not_before')
}
