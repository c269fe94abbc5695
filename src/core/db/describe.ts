import { type Database, isPostgres } from './database.ts'

/** What a database URL leads to: the database product with its version, and the number of tables. */
export interface DatabaseDescription {
  /** Product and version, such as `PostgreSQL 18.4` or `SQLite 3.50.2`. */
  readonly version: string
  readonly tables: number
}

/** Reads product, version and number of tables. Changes nothing. */
export const describeDatabase = async ({ db }: Pick<Database, 'db'>): Promise<DatabaseDescription> => {
  const read = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const result: unknown = await db.knex.raw(sql)
    return Array.isArray(result) ? result : (result as { rows: Record<string, unknown>[] }).rows
  }
  const postgres = isPostgres(db)
  const [version] = await read(postgres ? 'show server_version' : 'select sqlite_version() as server_version')
  const [tables] = await read(
    postgres
      ? 'select count(*) as tables from information_schema.tables where table_schema = current_schema()'
      : "select count(*) as tables from sqlite_master where type = 'table' and name not like 'sqlite_%'",
  )
  const number = String(version?.['server_version'] ?? '').split(' ')[0]
  return { version: `${postgres ? 'PostgreSQL' : 'SQLite'} ${number}`, tables: Number(tables?.['tables'] ?? 0) }
}
