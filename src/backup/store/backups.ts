import type { Total } from '../../core/db/count.ts'
import { type Db, lockName, type Tx } from '../../core/db/database.ts'
import { readCounted } from '../../core/db/keyset.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { bool, int, nullable, oneOf, type Row, table, text, time } from '../../core/db/table.ts'
import { type Cursor, timeAfter } from '../../core/page.ts'
import { backupReasons, backupStatuses } from '../contract.ts'

const columns = {
  id: text,
  status: oneOf(...backupStatuses),
  reason: oneOf(...backupReasons),
  startedAt: time,
  endedAt: nullable(time),
  file: nullable(text),
  bytes: nullable(int),
  rowCount: nullable(int),
  sha256: nullable(text),
  hasKeys: nullable(bool),
  error: nullable(text),
}
const backups = table('backup', columns)
export type BackupRow = Row<typeof columns>
export type BackupStatus = BackupRow['status']

export const insertBackup = (tx: Tx, row: BackupRow): Promise<void> => backups.insert(tx, row)
export const findBackup = (db: Db, id: string): Promise<BackupRow | undefined> => backups.find(db, { id })

/** Locks the list of backups until the transaction ends, so that simultaneous requests run one after another. */
export const lockBackups = (tx: Tx): Promise<void> => lockName(tx, 'backup')

/** Changes a backup that is unfinished. Returns false if it is finished. */
export const updateOpen = async (tx: Tx, id: string, patch: Partial<Omit<BackupRow, 'id'>>): Promise<boolean> => {
  const values = backups.encode(patch)
  return (await tx.knex(backups.name).where({ id }).whereIn('status', ['pending', 'running']).update(values)) === 1
}

/** The newest backup that has one of the given statuses. Undefined if there is none. */
export const findNewest = async (
  db: Db,
  status: BackupStatus,
  isByCommand: boolean | undefined = undefined,
): Promise<BackupRow | undefined> => {
  const query = db.knex(backups.name).where({ status }).orderBy('started_at', 'desc').orderBy('id', 'desc').limit(1)
  if (isByCommand === false) query.whereNot({ reason: 'command' })
  const rows: Record<string, unknown>[] = await query.select(backups.names)
  return rows.map((row) => backups.decode(row))[0]
}

/** The stored backups that the schedule and API calls made, newest first. */
export const listKept = async (db: Db): Promise<readonly BackupRow[]> => {
  const query = db.knex(backups.name).where({ status: 'made' }).whereNot({ reason: 'command' }).orderBy('started_at', 'desc')
  return ((await query.select(backups.names)) as Record<string, unknown>[]).map((row) => backups.decode(row))
}

export const setDeleted = (tx: Tx, id: string): Promise<boolean> =>
  backups.updateOne(tx, { id, status: 'made' as const }, { status: 'deleted' })

/** Marks unfinished backups as failed: all of them, or with `before` only those that began before that time. Returns how many. */
export const failOpen = (tx: Tx, error: string, now: Date, before?: Date): Promise<number> => {
  const query = tx.knex(backups.name).whereIn('status', ['pending', 'running'])
  if (before !== undefined) query.where('started_at', '<', before)
  return query.update({ status: 'failed', error, ended_at: now })
}

/** A condition for rows of backups that have no file and began before a time. */
export const settledBefore = (before: Date): Outdated => ({
  table: backups.name,
  key: ['id'],
  choose: (rows) => rows.whereIn('status', ['failed', 'deleted']).where('started_at', '<', before),
})

export const listBackups = async (
  db: Db,
  status: BackupStatus | undefined,
  { order, limit, after, isCounted }: Cursor,
): Promise<{ readonly rows: readonly BackupRow[]; readonly total: Total | null }> => {
  const query = db.knex(backups.name).select(backups.names)
  if (status !== undefined) query.where({ status })
  const page = { columns: ['started_at', 'id'], order, limit, after: timeAfter(after), isCounted } as const
  const { rows, total } = await readCounted(db, query, page, backups.name)
  return { rows: rows.map((row) => backups.decode(row)), total }
}
