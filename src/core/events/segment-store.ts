import type { Db, Tx } from '../db/database.ts'
import { int, type Row, sealed, table, text, time } from '../db/table.ts'

export const segmentContext = (id: string) => `event_segment.seal:${id}`

const columns = {
  id: text,
  /** Position of the last event before the segment. */
  position: int,
  /** Takes the place of the previous hash for the first event of the segment. It is random, so that no earlier event leads to it. */
  startHash: text,
  createdAt: time,
  /** The other columns of the row, sealed with the master secret. */
  seal: sealed(segmentContext),
}
const segments = table('event_segment', columns)

/** A segment begins where sealing continued after somebody had changed the head of the chain. */
export type Segment = Row<typeof columns>

export const { sealedColumns } = segments
export const insertSegment = (tx: Tx, segment: Segment): Promise<void> => segments.insert(tx, segment)

/** All segments, sorted by position. */
export const listSegments = (db: Db): Promise<readonly Segment[]> => segments.list(db, {}, { orderBy: 'position', limit: 1_000 })

export const deleteSegmentsBefore = (tx: Tx, position: number): Promise<number> =>
  tx.knex(segments.name).where('position', '<', position).delete()

/** Positions above this number are ignored, because JavaScript could not represent them exactly. No instance has sealed so many events. */
const farthest = 2 ** 50

/** The largest position that is in use. An event with a larger position is new to every reader. */
export const lastPosition = async (db: Db): Promise<number> => {
  const names = ['event', 'event_checkpoint', 'event_segment', 'event_reader']
  const found = await Promise.all(
    names.map((name) => db.knex(name).where('position', '<', farthest).max({ position: 'position' }).first()),
  )
  return Math.max(0, ...found.map((row) => Number(row?.['position'] ?? 0)))
}

/** The smallest position among the stored events. Undefined if no sealed event is stored. */
export const firstPosition = async (db: Db): Promise<number | undefined> => {
  const [row] = await db.knex('event').min({ position: 'position' })
  const position = (row as { readonly position?: unknown } | undefined)?.position
  return position === null || position === undefined ? undefined : Number(position)
}
