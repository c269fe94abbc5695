import type { z } from 'zod'
import type { Core } from '../core.ts'
import { type Db, readPrepared, type Tx } from '../db/database.ts'
import { int, nullable, type Row, table, text, time } from '../db/table.ts'
import { parseStored, record } from '../stored-json.ts'
import { findHead } from './chain-store.ts'
import type { RecordedEvent } from './record.ts'
import { listSealed, type SealedEvent } from './store.ts'
import type { EventType } from './types.ts'

/** A reader receives events a moment after their commit, for notices, metrics and copies. Nothing that security needs may be done in a reader. */
export interface EventReader {
  /** The name under which the database stores how far the reader is. It must never change, because a reader with a new name starts anew. */
  readonly name: string
  /** The types of events that the reader receives. When absent: all types. */
  readonly types?: readonly EventType[]
  /** Where the reader starts when it runs for the first time: at the oldest stored event, or after the newest one. */
  readonly startsAt: 'oldest' | 'newest'
  /**
   * Called for each event in the order of the chain, on one node at a time. It may be called for the same event again after a crash or an
   * error, so handling an event twice must do no harm.
   */
  handle(event: RecordedEvent, position: number, hash: string): Promise<void>
  /**
   * Called after a batch of events, to complete the work of `handle`. The reader's position is stored only afterwards. After an error the
   * whole batch is repeated.
   */
  flush?(): Promise<void>
}

/** Makes a reader of events of one type. The handler receives the event's data in the form that the type declares. */
export const readEvents = <Data extends z.ZodObject>(
  type: EventType<Data>,
  reader: Pick<EventReader, 'name' | 'startsAt'> & { handle(event: RecordedEvent<Data>, position: number): Promise<void> },
): EventReader => ({ ...reader, types: [type], handle: reader.handle as EventReader['handle'] })

const columns = {
  name: text,
  /** The position of the last event that is done: the reader has handled it, or did not have to. */
  position: int,
  /** A random text that identifies the run which is working as this reader. The next column says until when no other run may do so. */
  lease: nullable(text),
  leasedUntil: nullable(time),
  /** While the reader fails: since when, how often, and the last error. While it works: null, 0 and null. */
  failingSince: nullable(time),
  failures: int,
  lastError: nullable(text),
}
const cursors = table('event_reader', columns)
type Cursor = Row<typeof columns>

const leaseSeconds = 60
/** Largest number of events in a batch. The reader's position is stored after each batch. */
const batch = 100

/** Inserts the row of a reader unless it exists. */
const insertCursor = async (tx: Tx, name: string, position: number): Promise<void> => {
  const row: Cursor = { name, position, lease: null, leasedUntil: null, failingSince: null, failures: 0, lastError: null }
  await tx.knex(cursors.name).insert(cursors.encode(row)).onConflict('name').ignore()
}

/** Reserves the reader for this run until the time `until`. Undefined if another run has reserved it. */
const takeCursor = async (tx: Tx, name: string, lease: string, now: Date, until: Date): Promise<Cursor | undefined> => {
  const rows: Record<string, unknown>[] = await tx
    .knex(cursors.name)
    .where({ name })
    .where((free) => free.whereNull('leased_until').orWhere('leased_until', '<=', now))
    .update({ lease, leased_until: until })
    .returning(cursors.names)
  return rows.map((row) => cursors.decode(row))[0]
}

/**
 * Number of sealed events after the reader's position, read by one statement. Undefined before the reader's first run, and before the
 * first event is sealed.
 */
const lagOf = async (db: Db, name: string): Promise<number | undefined> => {
  const sql = 'select c.position - r.position as lag from event_chain c cross join event_reader r where r.name = ?'
  const [row] = await readPrepared(db, { name: 'event_reader_lag', sql }, [name])
  return row === undefined ? undefined : Number(row['lag'])
}

/**
 * Passes to a reader the sealed events after its position, until none is left or `stop` is aborted. No event is missed, because an event
 * that is committed late gets a later position, whatever its time is. If the handler throws, the error is thrown here, and the stored
 * position stays before the event.
 */
export const runReader = async (
  { db, transact, clock, random }: Pick<Core, 'db' | 'transact' | 'clock' | 'random'>,
  reader: EventReader,
  stop: AbortSignal,
): Promise<void> => {
  const { name, types, startsAt } = reader
  const lag = await lagOf(db, name)
  if (lag === 0) return
  if (lag === undefined) {
    const head = await findHead(db)
    const position = startsAt === 'newest' ? (head?.position ?? 0) : 0
    await transact((tx) => insertCursor(tx, name, position))
  }
  const lease = random.id()
  const cursor = await transact((tx) => takeCursor(tx, name, lease, clock.now(), clock.after(leaseSeconds)))
  if (cursor === undefined) return

  let saved = cursor.position
  let renewAt = clock.after(leaseSeconds / 3)
  /**
   * Stores the position. Extends the reservation, or ends it if `isDone`. False if another run has reserved the reader: that run
   * continues from the stored position.
   */
  const save = async (position: number, isDone: boolean, failure?: string): Promise<boolean> => {
    const held = isDone ? { lease: null, leasedUntil: null } : { lease, leasedUntil: clock.after(leaseSeconds) }
    const state =
      failure === undefined
        ? { failingSince: null, failures: 0, lastError: null }
        : { failingSince: cursor.failingSince ?? clock.now(), failures: cursor.failures + 1, lastError: failure.slice(0, 500) }
    const row = { position, ...held, ...state }
    const isMine = await transact((tx) => cursors.updateOne(tx, { name, lease, position: saved }, row))
    saved = position
    renewAt = clock.after(leaseSeconds / 3)
    return isMine
  }
  const asRead = ({ position: _, hash: __, data, ...event }: SealedEvent): RecordedEvent => ({
    ...event,
    data: parseStored(record, data),
  })

  const filter = types === undefined ? {} : { types: types.map((type) => type.name) }
  /** The position of the last event that is handled. */
  let done = saved
  const flush = async (position: number) => {
    if (position > done) await reader.flush?.()
    done = position
  }
  for (let position = saved; ; ) {
    const until = (await findHead(db))?.position ?? 0
    const events = await listSealed(db, { after: position, until, limit: batch, ...filter })
    try {
      for (const event of events) {
        if (stop.aborted) break
        await reader.handle(asRead(event), event.position, event.hash)
        position = event.position
        if (reader.flush === undefined) done = position
        if (clock.now() < renewAt) continue
        await flush(position)
        if (!(await save(position, false))) return
      }
      await flush(position)
    } catch (error) {
      await save(done, true, error instanceof Error ? error.message : String(error))
      throw error
    }
    const isEnd = events.length < batch || stop.aborted
    // The remaining events up to the head have types that the reader does not receive, so they are done.
    if (isEnd && !stop.aborted) position = Math.max(until, position)
    if (!(await save(position, isEnd)) || isEnd) return
  }
}

/**
 * Called after a restore. Ends the reservations of the instance from which the backup comes. The positions stay, so that events from
 * before the backup are not handled again.
 */
export const releaseReaders = async (tx: Tx): Promise<void> => {
  await tx.knex(cursors.name).update({ lease: null, leased_until: null })
}

/** How far a reader is, and whether it fails. */
export interface ReaderState extends Pick<Cursor, 'name' | 'position' | 'failingSince' | 'failures' | 'lastError'> {
  /** Number of sealed events after the reader's position. */
  readonly lag: number
}

/** The states of these readers. A reader that has never run on this instance is left out. */
export const listReaders = async (db: Db, names: readonly string[]): Promise<readonly ReaderState[]> => {
  const head = (await findHead(db))?.position ?? 0
  const rows: Record<string, unknown>[] = await db
    .knex(cursors.name)
    .whereIn('name', [...names])
    .orderBy('name')
    .select(cursors.names)
  return rows.map((raw) => {
    const { name, position, failingSince, failures, lastError } = cursors.decode(raw)
    return { name, position, failingSince, failures, lastError, lag: Math.max(0, head - position) }
  })
}
