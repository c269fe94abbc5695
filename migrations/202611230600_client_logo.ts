import type { Knex } from 'knex'

const columns = [
  // Id of the image that is shown. There is no foreign key, because new content gets a new id, and both rows change in one transaction.
  'logo_image varchar(32)',
  // Address from which the logo was fetched. Null for an uploaded logo.
  'logo_source varchar(2000)',
  // Why the requested address gave no logo.
  'logo_problem varchar(500)',
  // `#rrggbb` in lower case.
  'color varchar(7)',
]

/** Logo and colour of an application. The address of its logo stays in `icon`. */
export const up = async (knex: Knex): Promise<void> => {
  // The columns are added by plain SQL, because knex would copy the whole table on SQLite.
  for (const column of columns) await knex.raw(`alter table oauth_client add column ${column}`)
}

export const down = async (knex: Knex): Promise<void> => {
  for (const column of columns.toReversed()) await knex.raw(`alter table oauth_client drop column ${column.split(' ')[0]}`)
}
