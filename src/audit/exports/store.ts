import { z } from 'zod'
import { type Db, lockName, type Tx } from '../../core/db/database.ts'
import { readPage } from '../../core/db/keyset.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { bytes, type Codec, int, nullable, oneOf, type Row, table, text, time } from '../../core/db/table.ts'
import { type Cursor, timeAfter } from '../../core/page.ts'
import { eventFilter, exportFaults, exportFormats, exportStatuses } from '../contract.ts'

const Filters = z.object(eventFilter)
/** The filters of an export, stored as JSON. Times are stored as text. */
const filters: Codec<z.output<typeof Filters>> = {
  encode: (value) => JSON.stringify(value),
  decode: (raw) => Filters.parse(JSON.parse(raw as string)),
}

const columns = {
  id: text,
  owner: text,
  userId: nullable(text),
  format: oneOf(...exportFormats),
  filters,
  until: time,
  status: oneOf(...exportStatuses),
  error: nullable(oneOf(...exportFaults)),
  beganAt: nullable(time),
  placeAt: nullable(time),
  placeId: nullable(text),
  chunks: int,
  events: int,
  bytes: int,
  createdAt: time,
  endedAt: nullable(time),
  expiresAt: time,
}
const exports = table('event_export', columns)
const chunks = table('event_export_chunk', { exportId: text, number: int, data: bytes })
export type EventExportRow = Row<typeof columns>

const isOpen = (status: EventExportRow['status']) => status === 'pending' || status === 'running'

/** Locks the exports of one owner until the transaction ends, so that simultaneous requests run one after another. */
export const lockOwner = (tx: Tx, owner: string): Promise<void> => lockName(tx, `event-exports:${owner}`)

export const insertExport = (tx: Tx, row: EventExportRow): Promise<void> => exports.insert(tx, row)

/** The number of exports that an owner has, finished or not. */
export const countKept = async (db: Db, owner: string, now: Date): Promise<number> => {
  const rows = db.knex(exports.name).where({ owner }).whereNot({ status: 'failed' }).where('expires_at', '>', now)
  return Number((await rows.count({ count: '*' }).first())?.['count'])
}

/** Finds an export that has not expired. */
export const findExport = async (db: Db, id: string, now: Date): Promise<EventExportRow | undefined> => {
  const row = await exports.find(db, { id })
  return row !== undefined && row.expiresAt > now ? row : undefined
}

/** Lists the exports of an owner that have not expired. */
export const listExports = async (
  db: Db,
  owner: string,
  now: Date,
  { order, limit, after }: Cursor,
): Promise<readonly EventExportRow[]> => {
  const query = db.knex(exports.name).where({ owner }).where('expires_at', '>', now)
  const place = { columns: ['created_at', 'id'], order, limit, after: timeAfter(after) } as const
  const rows: Record<string, unknown>[] = await readPage(query, place).select(exports.names)
  return rows.map((row) => exports.decode(row))
}

/** Adds the next chunk to an unfinished export. Returns false if another node has added it, or if the export was cancelled. */
export const addChunk = async (
  tx: Tx,
  { id, status, chunks: number }: Pick<EventExportRow, 'id' | 'status' | 'chunks'>,
  data: Buffer,
  patch: Partial<EventExportRow>,
): Promise<boolean> => {
  if (!isOpen(status) || !(await exports.updateOne(tx, { id, status, chunks: number }, { ...patch, chunks: number + 1 })))
    return false
  await chunks.insert(tx, { exportId: id, number, data })
  return true
}

/** The compressed bytes of a chunk. Undefined if the export was deleted. */
export const findChunk = async (db: Db, exportId: string, number: number): Promise<Buffer | undefined> =>
  (await chunks.find(db, { exportId, number }))?.data

/** Marks an unfinished export as failed, and deletes its chunks. Returns false if the export has already ended. */
export const failOpen = async (tx: Tx, id: string, error: EventExportRow['error'], now: Date): Promise<boolean> => {
  const values = exports.encode({ status: 'failed', error, endedAt: now, chunks: 0 })
  const failed = await tx.knex(exports.name).where({ id }).whereIn('status', ['pending', 'running']).update(values)
  if (failed !== 1) return false
  await tx.knex(chunks.name).where({ export_id: id }).delete()
  return true
}

export const deleteExport = async (tx: Tx, id: string, owner: string): Promise<boolean> =>
  (await exports.delete(tx, { id, owner })) === 1

export const deleteAll = async (tx: Tx): Promise<void> => {
  await tx.knex(chunks.name).delete()
  await tx.knex(exports.name).delete()
}

export const expiredExports = (now: Date): Outdated => ({
  table: exports.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})
