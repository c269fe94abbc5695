import { type Db, isPostgres, openDatabase } from './database.ts'
import { type MigrationList, makeMigrationTable, migrateWithin } from './migrate.ts'

/** The tables, columns and indexes that the migrations create. What an administrator has added is not in the model. */
export interface SchemaModel {
  /** For each table, the names of its columns. */
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** The names of the indexes. They are the same on both databases. */
  readonly indexes: readonly string[]
}

interface Column {
  readonly table: string
  readonly name: string
  /** True for a column that has no default and does not allow null, so that every insert has to give a value. */
  readonly needsValue: boolean | number
}
interface Index {
  readonly name: string
  readonly isValid: boolean | number
}

const onSqlite = {
  columns: `select t.name as "table", c.name, c."notnull" and c.dflt_value is null as "needsValue"
    from pragma_table_list t join pragma_table_xinfo(t.name) c
    where t.schema = 'main' and t.type = 'table' and substr(t.name, 1, 7) <> 'sqlite_' order by t.name, c.cid`,
  // On SQLite a search index is a virtual table. Its name is that of the index on PostgreSQL.
  indexes: `select name, 1 as "isValid" from sqlite_master
    where type = 'index' and sql is not null or type = 'table' and sql like 'create virtual table%' order by name`,
}
const onPostgres = {
  columns: `select c.relname as "table", a.attname as name,
      a.attnotnull and not a.atthasdef and a.attidentity = '' as "needsValue"
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`,
  indexes: `select i.relname as name, x.indisvalid as "isValid" from pg_index x join pg_class i on i.oid = x.indexrelid
    where i.relnamespace = current_schema()::regnamespace order by i.relname`,
  rights: `select c.relname as "table", row_security_active(c.oid) as "isFiltered", array_to_string(array(
      select p from unnest(array['select', 'insert', 'update', 'delete']) p where not has_table_privilege(c.oid, p)), ', ') as lacking
    from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relname = any(?) order by c.relname`,
  sequences: `select s.relname as sequence from pg_class c join pg_depend d on d.refobjid = c.oid and d.deptype in ('a', 'i')
      join pg_class s on s.oid = d.objid and s.relkind = 'S'
    where c.relnamespace = current_schema()::regnamespace and c.relname = any(?)
      and case when s.relkind = 'S' then not has_sequence_privilege(s.oid, 'usage') end order by 1`,
}

const rowsOf = async <R>({ knex }: Db, sql: string, values: readonly string[][] = []): Promise<readonly R[]> => {
  const result = await knex.raw(sql, values)
  return Array.isArray(result) ? result : result.rows
}

const make = async (list: MigrationList): Promise<SchemaModel> => {
  const memory = openDatabase({ url: 'sqlite::memory:', poolMax: 1, synchronous: 'NORMAL' })
  try {
    return await memory.fill(async (tx) => {
      await makeMigrationTable(tx.knex)
      await migrateWithin(tx, list, new Date(0))
      const byTable = Map.groupBy(await rowsOf<Column>(tx, onSqlite.columns), ({ table }) => table)
      const indexes = await rowsOf<Index>(tx, onSqlite.indexes)
      return {
        columns: new Map([...byTable].map(([table, own]) => [table, own.map(({ name }) => name)])),
        indexes: indexes.map(({ name }) => name),
      }
    })
  } finally {
    await memory.destroy()
  }
}

/** For each list of migrations, the model that was made last. */
const models = new WeakMap<MigrationList, { readonly key: string; readonly model: Promise<SchemaModel> }>()

/**
 * The schema that these migrations create. To find out, they are run in an empty database in memory. That takes a few tenths of a second,
 * and happens once.
 */
export const schemaModelOf = (migrations: MigrationList, done: readonly string[]): Promise<SchemaModel> => {
  const key = done.join(' ')
  const known = models.get(migrations)
  if (known?.key === key) return known.model
  const model = make(Object.fromEntries(Object.entries(migrations).filter(([name]) => done.includes(name))))
  models.set(migrations, { key, model })
  // After a failure the model is not stored, so that the next call tries again.
  model.catch(() => models.delete(migrations))
  return model
}

export interface SchemaDifferences {
  /**
   * Differences that make statements fail or hide rows: missing tables and columns, missing rights, policies that hide rows, and columns
   * that need a value.
   */
  readonly broken: readonly string[]
  /** Indexes that are missing or invalid. Without an index, statements are slow. Without a unique index, duplicates are possible. */
  readonly indexes: readonly string[]
}

/** Compares a database with a model, and describes the differences in the words of SQL. */
export const schemaDifferences = async (db: Db, model: SchemaModel): Promise<SchemaDifferences> => {
  const sql = isPostgres(db) ? onPostgres : onSqlite
  const columns = Map.groupBy(await rowsOf<Column>(db, sql.columns), ({ table }) => table)
  const valid = (await rowsOf<Index>(db, sql.indexes)).filter(({ isValid }) => Boolean(isValid)).map(({ name }) => name)
  const tables = [...model.columns.keys()]
  const broken: string[] = []
  for (const [table, names] of model.columns) {
    const found = columns.get(table)
    if (found === undefined) broken.push(`table ${table}`)
    else {
      const missing = names.filter((name) => !found.some((column) => column.name === name))
      const demanding = found.filter(({ name, needsValue }) => Boolean(needsValue) && !names.includes(name))
      broken.push(
        ...missing.map((name) => `column ${table}.${name}`),
        ...demanding.map(({ name }) => `${table}.${name} not null`),
      )
    }
  }
  if (isPostgres(db)) {
    type Right = { readonly table: string; readonly lacking: string; readonly isFiltered: boolean }
    for (const { table, lacking, isFiltered } of await rowsOf<Right>(db, onPostgres.rights, [tables])) {
      if (lacking !== '') broken.push(`grant ${lacking} on ${table}`)
      if (isFiltered) broken.push(`row level security on ${table}`)
    }
    for (const { sequence } of await rowsOf<{ sequence: string }>(db, onPostgres.sequences, [tables]))
      broken.push(`grant usage on sequence ${sequence}`)
  }
  return { broken, indexes: model.indexes.filter((name) => !valid.includes(name)).map((name) => `index ${name}`) }
}
