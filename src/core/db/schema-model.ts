import { openDatabase } from './database.ts'
import { type MigrationList, makeMigrationTable, migrateWithin } from './migrate.ts'

/** What the migrations make. An administrator's tables, columns and indexes are not in it. */
export interface SchemaModel {
  /** Columns of each table. */
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** Indexes that both databases have, by name, with their table. */
  readonly indexes: ReadonlyMap<string, string>
}

interface Entry {
  readonly table: string
  readonly name: string
}

const columnsOf = `select t.name as "table", c.name from pragma_table_list t join pragma_table_xinfo(t.name) c
  where t.schema = 'main' and t.type = 'table' and substr(t.name, 1, 7) <> 'sqlite_' order by t.name, c.cid`
const indexesOf = `select tbl_name as "table", name from sqlite_master where type = 'index' and sql is not null`

/**
 * Returns a function that says what the migrations of some names make. It runs them in an empty SQLite database in memory, which takes a few tenths of a second, and
 * keeps what it has found for the names that were asked for last.
 */
export const createSchemaModels = (migrations: MigrationList): ((done: readonly string[]) => Promise<SchemaModel>) => {
  let known: { readonly key: string; readonly model: Promise<SchemaModel> } | undefined

  const make = async (done: readonly string[]): Promise<SchemaModel> => {
    const file = openDatabase({ url: 'sqlite::memory:', poolMax: 1, synchronous: 'NORMAL' })
    const list = Object.fromEntries(Object.entries(migrations).filter(([name]) => done.includes(name)))
    try {
      return await file.fill(async (tx) => {
        await makeMigrationTable(tx.knex)
        await migrateWithin(tx, list, new Date(0))
        const columns: readonly Entry[] = await tx.knex.raw(columnsOf)
        const indexes: readonly Entry[] = await tx.knex.raw(indexesOf)
        const byTable = Map.groupBy(columns, ({ table }) => table)
        return {
          columns: new Map([...byTable].map(([table, own]) => [table, own.map(({ name }) => name)])),
          indexes: new Map(indexes.map(({ table, name }) => [name, table])),
        }
      })
    } finally {
      await file.destroy()
    }
  }
  return (done) => {
    const key = done.join(' ')
    if (known?.key !== key) known = { key, model: make(done) }
    return known.model
  }
}
