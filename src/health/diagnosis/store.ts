import { type Db, isPostgres, readPrepared } from '../../core/db/database.ts'

const now = {
  postgres: { name: 'health.now', sql: 'select extract(epoch from clock_timestamp()) * 1000 as ms' },
  sqlite: { name: 'health.now', sql: "select (julianday('now') - 2440587.5) * 86400000 as ms" },
}

/** The time of the database's clock; of SQLite that of this machine. */
export const databaseTime = async (db: Db): Promise<Date> => {
  const [row] = await readPrepared(db, isPostgres(db) ? now.postgres : now.sqlite, [])
  return new Date(Number(row?.['ms']))
}
