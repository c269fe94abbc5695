import type { Knex } from 'knex'

/** Selects text columns that have a collation other than `C`, in the tables of the current database role. */
const otherColumns = `select c.relname as "table", a.attrelid::text || '.' || a.attnum as id,
  format('alter column %I type %s collate "C"', a.attname, format_type(a.atttypid, a.atttypmod)) as change
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
    and a.attcollation not in (0, 'pg_catalog."C"'::regcollation)
    and pg_has_role(c.relowner, 'usage')
  order by c.relname, a.attnum`

const listOther = async (trx: Knex) =>
  (await trx.raw<{ rows: { table: string; id: string; change: string }[] }>(otherColumns)).rows

/**
 * Ids of text columns that administrators made. A migration does not change them, so they are listed before it creates further columns.
 * Returns an empty list if `migrationTable` itself has another collation than `C`: then an earlier version of gatehouse made such
 * columns, too, and its columns cannot be told from an administrator's.
 */
export const listForeignColumns = async (trx: Knex, migrationTable: string): Promise<readonly string[]> => {
  const columns = await listOther(trx)
  return columns.some(({ table }) => table === migrationTable) ? [] : columns.map(({ id }) => id)
}

/**
 * Makes PostgreSQL compare and sort text by code points, as SQLite does. Otherwise the language of the database would decide the order of
 * lists and of pages, and a new version of the server's language library would break indexes. The columns in `foreign` are not changed.
 */
export const sortByCodePoints = async (trx: Knex, foreign: readonly string[]): Promise<void> => {
  const columns = (await listOther(trx)).filter(({ id }) => !foreign.includes(id))
  for (const [table, changes] of Map.groupBy(columns, (column) => column.table))
    await trx.raw(`alter table "${table.replaceAll('"', '""')}" ${changes.map(({ change }) => change).join(', ')}`)
}
