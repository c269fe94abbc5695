import type { z } from 'zod'
import type { Core } from '../core.ts'
import { type Db, readPrepared, type Tx } from '../db/database.ts'
import { int, nullable, type Row, table, text, time } from '../db/table.ts'
import { parseStored, record } from '../stored-json.ts'
import { findHead } from './chain-store.ts'
import type { RecordedEvent } from './record.ts'
import { listSealed, type SealedEvent } from './store.ts'
import type { EventType } from './types.ts'

/** Receives events a moment after their commit, for notices, metrics and copies. Security must not depend on it. */
export interface EventReader {
  /** Name of the reader's cursor in the database. It never changes, because a reader with a new name starts anew. */
  readonly name: string
  /** Types of events that the reader gets. When absent: all types. */
  readonly types?: readonly EventType[]
  /** Where a new reader starts: at the oldest stored event, or after the newest one. */
  readonly startsAt: 'oldest' | 'newest'
  /**
   * Called for each event in the order of the chain, by one node at a time. It is called again after a crash or an error, so a repetition
   * must be harmless.
   */
  handle(event: RecordedEvent, position: number, hash: string): Promise<void>
  /** Completes the work of `handle` after a batch. The cursor moves only after it. After an error the whole batch is repeated. */
  flush?(): Promise<void>
}

/** Makes a reader of one type of events. Its handler gets the data in the form of that type. */
export const readEvents = <Data extends z.ZodObject>(
  type: EventType<Data>,
  reader: Pick<EventReader, 'name' | 'startsAt'> & { handle(event: RecordedEvent<Data>, position: number): Promise<void> },
): EventReader => ({ ...reader, types: [type], handle: reader.handle as EventReader['handle'] })

const columns = {
  name: text,
  /** The position of the last event that the reader has handled, or did not need to handle. */
  position: int,
  /** The run that has the reader, and the end of its lease. */
  lease: nullable(text),
  leasedUntil: nullable(time),
  /** When the reader began to fail, how often it has failed, and the last error. Null and 0 while it works. */
  failingSince: nullable(time),
  failures: int,
  lastError: nullable(text),
}
const cursors = table('event_reader', columns)
type Cursor = Row<typeof columns>

const leaseSeconds = 60
/** Largest number of events in a batch, after which the cursor moves. */
const batch = 100

/** Inserts the reader's cursor if it is missing. */
const insertCursor = async (tx: Tx, name: string, position: number): Promise<void> => {
  const row: Cursor = { name, position, lease: null, leasedUntil: null, failingSince: null, failures: 0, lastError: null }
  await tx.knex(cursors.name).insert(cursors.encode(row)).onConflict('name').ignore()
}

/** Leases the reader. Undefined while another run has it. */
const takeCursor = async (tx: Tx, name: string, lease: string, now: Date, until: Date): Promise<Cursor | undefined> => {
  const rows: Record<string, unknown>[] = await tx
    .knex(cursors.name)
    .where({ name })
    .where((free) => free.whereNull('leased_until').orWhere('leased_until', '<=', now))
    .update({ lease, leased_until: until })
    .returning(cursors.names)
  return rows.map((row) => cursors.decode(row))[0]
}

/** The number of sealed events after the reader's position, from one statement. Undefined before the first run or the first sealed event. */
const lagOf = async (db: Db, name: string): Promise<number | undefined> => {
  const sql = 'select c.position - r.position as lag from event_chain c cross join event_reader r where r.name = ?'
  const [row] = await readPrepared(db, { name: 'event_reader_lag', sql }, [name])
  return row === undefined ? undefined : Number(row['lag'])
}

/**
 * Passes a reader the sealed events after its cursor, until none are left or `stop` is aborted. No event is lost: an event that commits
 * late gets a later position, whatever its time is. Throws the error of the handler; the cursor then stays before the event.
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
  /** Moves the cursor, and extends or ends the lease. False if another run has the lease, which then continues from the cursor. */
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
  /** The position after the last handled event. */
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
    // All further events up to the head are of types that the reader does not get.
    if (isEnd && !stop.aborted) position = Math.max(until, position)
    if (!(await save(position, isEnd)) || isEnd) return
  }
}

/** Ends the leases of the old instance after a restore. Cursors stay, so that events from before the backup are not handled again. */
export const releaseReaders = async (tx: Tx): Promise<void> => {
  await tx.knex(cursors.name).update({ lease: null, leased_until: null })
}

/** The state of a reader. */
export interface ReaderState extends Pick<Cursor, 'name' | 'position' | 'failingSince' | 'failures' | 'lastError'> {
  /** Number of sealed events after its cursor. */
  readonly lag: number
}

/** The state of each of these readers that has run on this instance. */
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
