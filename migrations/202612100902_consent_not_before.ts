import type { Knex } from 'knex'

/** When a consent ended. Codes that were issued before this time are not valid. */
export const up = async (knex: Knex): Promise<void> => {
  const time = knex.client.dialect === 'postgresql' ? 'timestamptz' : 'datetime'
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw(`alter table oauth_consent add column not_before ${time}`)
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table oauth_consent drop column not_before')
}
