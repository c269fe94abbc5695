import type { Knex } from 'knex'

const columns = [
  // Id of the image that is shown; no foreign key: another content has another id, and both change in one transaction.
  'logo_image varchar(32)',
  // Address that it was fetched from; null for an uploaded one.
  'logo_source varchar(2000)',
  // Why the address that is wanted gave no logo.
  'logo_problem varchar(500)',
  // `#rrggbb`, small letters.
  'color varchar(7)',
]

/** Logo and colour of an application. Its address stays in `icon`. */
export const up = async (knex: Knex): Promise<void> => {
  // Added as text: knex would copy the whole table on SQLite.
  for (const column of columns) await knex.raw(`alter table oauth_client add column ${column}`)
}

export const down = async (knex: Knex): Promise<void> => {
  for (const column of columns.toReversed()) await knex.raw(`alter table oauth_client drop column ${column.split(' ')[0]}`)
}
