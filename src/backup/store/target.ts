import { type Db, isPostgres, type Tx } from '../../core/db/database.ts'
import { quoted, rowsOf, type TableShape } from './schema.ts'

/** Tables that contain rows as soon as migrations have run. A restore replaces these rows. */
export const filledByMigrations: readonly string[] = ['oidc_version']

/** Locks the tables against other connections until the transaction ends. On SQLite, the transaction already holds the only write lock. */
export const lockTables = async (tx: Tx, tables: readonly TableShape[]): Promise<void> => {
  if (isPostgres(tx))
    await tx.knex.raw(`lock table ${tables.map(({ name }) => quoted(name)).join(', ')} in access exclusive mode`)
}

/** Which of the tables contain rows of an instance. Rows from migrations do not count. */
export const listFilled = async (db: Db, tables: readonly TableShape[]): Promise<readonly string[]> => {
  const filled: string[] = []
  for (const { name } of tables) {
    if (filledByMigrations.includes(name)) continue
    if ((await rowsOf(db, `select 1 as one from ${quoted(name)} limit 1`)).length > 0) filled.push(name)
  }
  return filled
}

/** Deletes the rows that migrations have inserted. */
export const deleteSeeds = async (tx: Tx, tables: readonly TableShape[]): Promise<void> => {
  for (const { name } of tables) if (filledByMigrations.includes(name)) await tx.knex(name).delete()
}

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

const foreignKeys = `select c.conrelid::regclass::text as "table", c.conname as name, pg_get_constraintdef(c.oid) as definition
  from pg_constraint c join pg_class r on r.oid = c.conrelid
  where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and r.relname = any(?) order by 1, 2`

/**
 * Runs `work` without checking foreign keys, and checks all of them afterwards. This is needed because tables can refer to each other, so
 * no order of filling them would satisfy the checks. Throws if a row refers to a missing row.
 */
export const withoutForeignKeys = async (tx: Tx, tables: readonly TableShape[], work: () => Promise<void>): Promise<void> => {
  if (!isPostgres(tx)) {
    await work()
    const broken = await rowsOf<{ table: string }>(tx, 'pragma foreign_key_check')
    if (broken.length > 0)
      throw new Error(`rows of ${[...new Set(broken.map(({ table }) => table))].join(', ')} lack the rows they refer to`)
    return
  }
  // Switching off triggers would need a superuser. The owner of a table can drop its foreign keys and add them again, which checks all
  // rows.
  const keys = await rowsOf<ForeignKey>(tx, foreignKeys, [tables.map(({ name }) => name)])
  for (const { table, name } of keys) await tx.knex.raw(`alter table ${table} drop constraint ${quoted(name)}`)
  await work()
  for (const { table, name, definition } of keys)
    await tx.knex.raw(`alter table ${table} add constraint ${quoted(name)} ${definition}`)
}

const serials = `select r.relname as "table", a.attname as column, pg_get_serial_sequence(quote_ident(r.relname), a.attname) as sequence
  from pg_class r join pg_attribute a on a.attrelid = r.oid
  where r.relkind = 'r' and r.relnamespace = current_schema()::regnamespace and r.relname = any(?) and a.attnum > 0 and not a.attisdropped
    and pg_get_serial_sequence(quote_ident(r.relname), a.attname) is not null`

/** Sets the counters of serial columns to the largest stored value. SQLite does this by itself. */
export const resetSequences = async (tx: Tx, tables: readonly TableShape[]): Promise<void> => {
  if (!isPostgres(tx)) return
  const names = tables.map(({ name }) => name)
  for (const { table, column, sequence } of await rowsOf<{ table: string; column: string; sequence: string }>(tx, serials, [
    names,
  ]))
    await tx.knex.raw(
      `select setval(?, coalesce(max(${quoted(column)}), 1), max(${quoted(column)}) is not null) from ${quoted(table)}`,
      [sequence],
    )
}

/** Updates the database's statistics. Without this, the database would plan the first queries as if the tables were empty. */
export const analyze = async (tx: Tx): Promise<void> => {
  await tx.knex.raw('analyze')
}
