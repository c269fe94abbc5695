import type { Knex } from 'knex'

const mixedColumns = `select c.relname as "table",
  string_agg(format('alter column %I type %s collate "C"', a.attname, format_type(a.atttypid, a.atttypmod)), ', ') as changes
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_collation l on l.oid = a.attcollation
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped and l.collname <> 'C'
  group by c.relname order by c.relname`

/**
 * Has PostgreSQL compare and sort all text by code points, as SQLite does, whatever language the database was made for: lists would have another order,
 * and pages of them other bounds, where the language of the server decided, and a new version of its library would break indexes.
 */
export const sortByCodePoints = async (trx: Knex): Promise<void> => {
  const { rows } = await trx.raw<{ rows: { table: string; changes: string }[] }>(mixedColumns)
  for (const { table, changes } of rows) await trx.raw(`alter table "${table}" ${changes}`)
}
