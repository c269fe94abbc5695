import type { z } from 'zod'
import type { Core } from '../core.ts'
import { type Db, readPrepared, type Tx } from '../db/database.ts'
import { int, nullable, type Row, table, text, time } from '../db/table.ts'
import { parseStored, record } from '../stored-json.ts'
import { findHead } from './chain-store.ts'
import type { RecordedEvent } from './record.ts'
import { listSealed, type SealedEvent } from './store.ts'
import type { EventType } from './types.ts'

/** Receives events a moment after their commit, for notices, metrics, later webhooks. No security effect may depend on it. */
export interface EventReader {
  /** Names its cursor in the database: never changed, or it begins anew. */
  readonly name: string
  /** The types of events that it reads; all types when not set. */
  readonly types?: readonly EventType[]
  /** Where a new reader begins: with the oldest event that is kept, or after the newest one. */
  readonly startsAt: 'oldest' | 'newest'
  /**
   * Called with every event in the order of the chain, one after the other, by one node at a time; again after a crash or when it
   * throws, so that it must not matter whether it is done twice.
   */
  handle(event: RecordedEvent, position: number, hash: string): Promise<void>
  /** Completes the work of `handle` at the end of a batch: the cursor moves only afterwards. If it throws, the events of the batch are handled again. */
  flush?(): Promise<void>
}

/** A reader of one type, whose handler knows its data. */
export const readEvents = <Data extends z.ZodObject>(
  type: EventType<Data>,
  reader: Pick<EventReader, 'name' | 'startsAt'> & { handle(event: RecordedEvent<Data>, position: number): Promise<void> },
): EventReader => ({ ...reader, types: [type], handle: reader.handle as EventReader['handle'] })

const columns = {
  name: text,
  /** The last event that was handled, or needed no handling. */
  position: int,
  /** The run that reads now, and until when it may. */
  lease: nullable(text),
  leasedUntil: nullable(time),
  /** Since when runs fail, their number, and the last error; null and 0 while the reader works. */
  failingSince: nullable(time),
  failures: int,
  lastError: nullable(text),
}
const cursors = table('event_reader', columns)
type Cursor = Row<typeof columns>

const leaseSeconds = 60
/** Most events that are read at once; the cursor moves behind them together. */
const batch = 100

/** Registers the reader's cursor, where there is none. */
const insertCursor = async (tx: Tx, name: string, position: number): Promise<void> => {
  const row: Cursor = { name, position, lease: null, leasedUntil: null, failingSince: null, failures: 0, lastError: null }
  await tx.knex(cursors.name).insert(cursors.encode(row)).onConflict('name').ignore()
}

/** Takes the reader unless another run has it; undefined when it has. */
const takeCursor = async (tx: Tx, name: string, lease: string, now: Date, until: Date): Promise<Cursor | undefined> => {
  const rows: Record<string, unknown>[] = await tx
    .knex(cursors.name)
    .where({ name })
    .where((free) => free.whereNull('leased_until').orWhere('leased_until', '<=', now))
    .update({ lease, leased_until: until })
    .returning(cursors.names)
  return rows.map((row) => cursors.decode(row))[0]
}

/** The reader's position and the chain's, by one statement; undefined before the reader's first run or the first sealed event. */
const lagOf = async (db: Db, name: string): Promise<number | undefined> => {
  const sql = 'select c.position - r.position as lag from event_chain c cross join event_reader r where r.name = ?'
  const [row] = await readPrepared(db, { name: 'event_reader_lag', sql }, [name])
  return row === undefined ? undefined : Number(row['lag'])
}

/**
 * Hands a reader the sealed events behind its cursor, until there are none or `stop` is aborted. Sealed order is what loses nothing: an
 * event that commits late gets a later position, whatever its time is. Throws the error of the handler; the cursor then stands before the event.
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
  /** Moves the cursor and keeps or gives back the lease. False when another run has it, which then goes on from there. */
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
  /** Behind the last event that the reader is done with. */
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
    // Events of other types up to the head need no handling.
    if (isEnd && !stop.aborted) position = Math.max(until, position)
    if (!(await save(position, isEnd)) || isEnd) return
  }
}

/** After a restore: no run of the past holds a reader. The cursors stay: events read before the backup are not read again. */
export const releaseReaders = async (tx: Tx): Promise<void> => {
  await tx.knex(cursors.name).update({ lease: null, leased_until: null })
}

/** How a reader is doing. */
export interface ReaderState extends Pick<Cursor, 'name' | 'position' | 'failingSince' | 'failures' | 'lastError'> {
  /** Sealed events that it has not passed yet. */
  readonly lag: number
}

/** The readers that have run here, as far as they are among these. */
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
