import { type Db, isPostgres, readPrepared, type Tx } from '../../core/db/database.ts'
import { type Row, table, text, time } from '../../core/db/table.ts'

const now = {
  postgres: { name: 'health.now', sql: 'select extract(epoch from clock_timestamp()) * 1000 as ms' },
  sqlite: { name: 'health.now', sql: "select (julianday('now') - 2440587.5) * 86400000 as ms" },
}

/** The time on the clock of the database server. With SQLite, it is the time of this machine. */
export const databaseTime = async (db: Db): Promise<Date> => {
  const [row] = await readPrepared(db, isPostgres(db) ? now.postgres : now.sqlite, [])
  return new Date(Number(row?.['ms']))
}

/** True if PostgreSQL ends statements that take too long. This is tested outside of a transaction, on a connection like those of requests. */
export const hasStatementTimeout = async (db: Db): Promise<boolean> => {
  const sql = "select setting <> '0' as is_set from pg_settings where name = 'statement_timeout'"
  const [row] = await readPrepared(db, { name: 'health.statement-timeout', sql }, [])
  return row?.['is_set'] === true
}

const findingColumns = { id: text, since: time, seenAt: time }
const findings = table('finding', findingColumns)
export type FindingRow = Row<typeof findingColumns>

/** When each finding was first stored, by id. Findings that are not stored are left out. */
export const listSince = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Date>> =>
  new Map((await findings.findAll(db, 'id', ids)).map(({ id, since }) => [id, since]))

/** Stores the current findings. If a finding is already stored, only the time when it was last seen is updated. */
export const noteFindings = (tx: Tx, rows: readonly FindingRow[]): Promise<void> =>
  findings.upsertAll(tx, rows, ['id'], ['seenAt'])

/** Deletes findings that no node has seen since `before`. */
export const deleteFindings = async (tx: Tx, before: Date): Promise<void> => {
  await tx.knex(findings.name).where('seen_at', '<', before).delete()
}

/** This many rows take more space than a page of either database. */
const roomRows = 200

/**
 * Overwrites a row, to test whether the database accepts writes. With `needsRoom`, it also takes new space and gives it back. On a full
 * disk, writing to existing pages may still work although every other write fails.
 */
export const tryWrite = async (tx: Tx, at: Date, needsRoom: boolean): Promise<void> => {
  const row = (id: string) => ({ id, since: at, seenAt: at })
  if (needsRoom) {
    await noteFindings(
      tx,
      Array.from({ length: roomRows }, (_, i) => row(`write-probe-${i}`)),
    )
    await tx.knex(findings.name).where('id', 'like', 'write-probe-%').delete()
  }
  await noteFindings(tx, [row('write-probe')])
}
