import type { Knex } from 'knex'
import { type Db, isPostgres } from '../../core/db/database.ts'
import { migrationTable } from '../../core/db/migrate.ts'
import type { SchemaModel } from '../../core/db/schema-model.ts'
import type { ColumnKind } from '../rules/values.ts'

export interface TableColumn {
  readonly name: string
  readonly kind: ColumnKind
}

/** A table, as the database itself describes it. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly TableColumn[]
  /** The columns of the primary key, in the order of the key. */
  readonly key: readonly string[]
}

/** Tables that triggers fill with data from other tables. */
const filledByTriggers: readonly string[] = ['billing_customer_search_text']

/** For each type of column in either database, the kind that a backup file uses. A test fails if a column has a type that is not listed. */
const kindOfType: Readonly<Record<string, ColumnKind>> = {
  varchar: 'text',
  'character varying': 'text',
  char: 'text',
  character: 'text',
  text: 'text',
  int: 'int',
  integer: 'int',
  bigint: 'int',
  smallint: 'int',
  float: 'number',
  real: 'number',
  'double precision': 'number',
  boolean: 'bool',
  datetime: 'time',
  'timestamp with time zone': 'time',
  blob: 'bytes',
  bytea: 'bytes',
}

interface RawColumn {
  readonly tableName: string
  readonly name: string
  readonly type: string
  /** The column's place in the primary key, counted from 1. It is 0 if the column is not part of the key. */
  readonly keyPlace: number
}

export const rowsOf = async <R>(db: Db, sql: string, values: readonly unknown[] = []): Promise<readonly R[]> => {
  const result = await db.knex.raw(sql, values as Knex.RawBinding[])
  return isPostgres(db) ? result.rows : result
}

const onSqlite = `select t.name as "tableName", c.name, lower(c.type) as type, c.pk as "keyPlace"
  from pragma_table_list t join pragma_table_xinfo(t.name) c
  where t.schema = 'main' and t.type = 'table' and substr(t.name, 1, 7) <> 'sqlite_' and c.hidden = 0
  order by t.name, c.cid`

/** The catalogue itself, with the columns that `information_schema.columns` shows to the role: reading that view takes five times as long. */
const onPostgres = `select r.relname as "tableName", a.attname as name, format_type(a.atttypid, null) as type,
    coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) as "keyPlace"
  from pg_class r join pg_attribute a on a.attrelid = r.oid
  left join pg_index i on i.indrelid = r.oid and i.indisprimary
  where r.relnamespace = current_schema()::regnamespace and r.relkind in ('r', 'p')
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and (pg_has_role(r.relowner, 'usage') or has_column_privilege(r.oid, a.attnum, 'select, insert, update, references'))
  order by r.relname, a.attnum`

/** The tables and columns that gatehouse has made. The administrator of the database may have added others. */
type Own = Pick<SchemaModel, 'columns'>

/**
 * Describes all tables that contain rows of the instance, sorted by name. It leaves out the table of migrations, the search indexes of
 * SQLite, tables filled by triggers, and with `own` all tables and columns that are not in `own`. Throws if a column has a type that a
 * backup cannot contain, if a table has no primary key, and the database's error if a table cannot be read.
 */
export const describeTables = async (db: Db, own?: Own): Promise<readonly TableShape[]> => {
  const all = await rowsOf<RawColumn>(db, isPostgres(db) ? onPostgres : onSqlite)
  const raw = all.filter(({ tableName, name }) => own === undefined || own.columns.get(tableName)?.includes(name) === true)
  const byTable = Map.groupBy(raw, ({ tableName }) => tableName)
  // PostgreSQL does not list a table to a role that has no rights on it. Reading the table throws the error that explains this.
  for (const name of own?.columns.keys() ?? []) if (!byTable.has(name)) await rowsOf(db, `select 1 from ${quoted(name)} limit 1`)
  const shapes = [...byTable].flatMap(([name, columns]): readonly TableShape[] => {
    if (name === migrationTable || filledByTriggers.includes(name)) return []
    const keyed = columns.filter(({ keyPlace }) => Number(keyPlace) > 0)
    if (keyed.length === 0) throw new Error(`the table ${name} has no primary key: its rows cannot be read in an order`)
    return [
      {
        name,
        columns: columns.map((column) => {
          const kind = kindOfType[column.type.replace(/\(.*$/, '').trim()]
          if (kind === undefined)
            throw new Error(`${name}.${column.name} is ${column.type}: backups have no form for values of this type`)
          return { name: column.name, kind }
        }),
        key: keyed.sort((a, b) => Number(a.keyPlace) - Number(b.keyPlace)).map((column) => column.name),
      },
    ]
  })
  return shapes.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The names of all tables except the table of migrations. Tables that gatehouse has not made are included. */
export const listTableNames = async (db: Db): Promise<readonly string[]> => {
  const raw = await rowsOf<{ tableName: string }>(db, isPostgres(db) ? onPostgres : onSqlite)
  return [...new Set(raw.map(({ tableName }) => tableName))].filter((name) => name !== migrationTable)
}

/** Quotes the name of a table or column for SQL. The name comes from the database. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
