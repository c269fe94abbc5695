import type { Knex } from 'knex'

/** Selects the text columns of this role's tables that have a collation other than `C`. */
const otherColumns = `select c.relname as "table", a.attrelid::text || '.' || a.attnum as id,
  format('alter column %I type %s collate "C"', a.attname, format_type(a.atttypid, a.atttypmod)) as change
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_collation l on l.oid = a.attcollation
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped and l.collname <> 'C'
    and pg_has_role(c.relowner, 'usage')
  order by c.relname, a.attnum`

const listOther = async (trx: Knex) =>
  (await trx.raw<{ rows: { table: string; id: string; change: string }[] }>(otherColumns)).rows

/**
 * Text columns that administrators made, found before a migration makes others. If `migrationTable` itself has another collation, an
 * earlier version of gatehouse made such columns, and the two kinds cannot be told apart.
 */
export const listForeignColumns = async (trx: Knex, migrationTable: string): Promise<readonly string[]> => {
  const columns = await listOther(trx)
  return columns.some(({ table }) => table === migrationTable) ? [] : columns.map(({ id }) => id)
}

/**
 * Makes PostgreSQL compare and sort text by code points, as SQLite does, in any language of the database. Otherwise the server's language
 * would decide the order of lists and the ends of pages, and a new version of its library would break indexes. Columns in `foreign` stay
 * unchanged.
 */
export const sortByCodePoints = async (trx: Knex, foreign: readonly string[]): Promise<void> => {
  const columns = (await listOther(trx)).filter(({ id }) => !foreign.includes(id))
  for (const [table, changes] of Map.groupBy(columns, (column) => column.table))
    await trx.raw(`alter table "${table.replaceAll('"', '""')}" ${changes.map(({ change }) => change).join(', ')}`)
}
