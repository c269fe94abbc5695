import { type Db, isPostgres, readPrepared, type Tx } from '../../core/db/database.ts'
import { type Row, table, text, time } from '../../core/db/table.ts'

const now = {
  postgres: { name: 'health.now', sql: 'select extract(epoch from clock_timestamp()) * 1000 as ms' },
  sqlite: { name: 'health.now', sql: "select (julianday('now') - 2440587.5) * 86400000 as ms" },
}

/** The time of the database's clock; of SQLite that of this machine. */
export const databaseTime = async (db: Db): Promise<Date> => {
  const [row] = await readPrepared(db, isPostgres(db) ? now.postgres : now.sqlite, [])
  return new Date(Number(row?.['ms']))
}

/** Whether PostgreSQL ends statements that take too long, outside a transaction and on connections like that of requests. */
export const hasStatementTimeout = async (db: Db): Promise<boolean> => {
  const sql = "select setting <> '0' as is_set from pg_settings where name = 'statement_timeout'"
  const [row] = await readPrepared(db, { name: 'health.statement-timeout', sql }, [])
  return row?.['is_set'] === true
}

const findingColumns = { id: text, since: time, seenAt: time }
const findings = table('finding', findingColumns)
export type FindingRow = Row<typeof findingColumns>

/** The time since when each of these is found; findings without a note are missing. */
export const listSince = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Date>> =>
  new Map((await findings.findAll(db, 'id', ids)).map(({ id, since }) => [id, since]))

/** Notes the present findings: for earlier ones, the time of the last sight. */
export const noteFindings = (tx: Tx, rows: readonly FindingRow[]): Promise<void> =>
  findings.upsertAll(tx, rows, ['id'], ['seenAt'])

/** Forgets what was not found since `before`. */
export const deleteFindings = async (tx: Tx, before: Date): Promise<void> => {
  await tx.knex(findings.name).where('seen_at', '<', before).delete()
}

/** Rows that take more room than a page of either database has. */
const roomRows = 200

/**
 * Writes a row that is overwritten each time. With `needsRoom` it also takes room and gives it back: on a full disk what fits into pages that are there
 * may be written while everything else fails.
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
