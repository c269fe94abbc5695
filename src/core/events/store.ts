import { type Db, isPostgres, readPrepared, type Tx, writeLast, writePrepared } from '../db/database.ts'
import type { PreparedRead } from '../db/driver.ts'
import type { Outdated } from '../db/sweep.ts'
import { int, nullable, type Row, table, text, time } from '../db/table.ts'
import type { PreparedWrite } from '../db/transaction.ts'

const columns = {
  id: text,
  type: text,
  occurredAt: time,
  /** Kind of the principal: `user`, `system`, …. */
  actorKind: text,
  actorId: nullable(text),
  sessionId: nullable(text),
  impersonatorId: nullable(text),
  subjectType: text,
  subjectId: text,
  organizationId: nullable(text),
  address: text,
  userAgent: text,
  requestId: text,
  /** The reason in the words of the actor; null: none was given. */
  reason: nullable(text),
  /** JSON, as it was recorded: the hash covers the text. */
  data: text,
  /** Place in the chain, without a gap from 1 on; null until the event is sealed. */
  position: nullable(int),
  /** SHA-256 in hex over the hash of the position before and this row. */
  hash: nullable(text),
}
export const events = table('event', columns)
/** Where an event stands in the order of time. */
export const places = events.pick('id', 'occurredAt')
export type EventRow = Row<typeof columns>
export type NewEvent = Omit<EventRow, 'position' | 'hash'>
export type SealedEvent = NewEvent & { readonly position: number; readonly hash: string }

const written = events.names.filter((name) => name !== 'position' && name !== 'hash')

/** One statement for any number of rows, which travel as one JSON text: it is prepared once. */
const insertRows: Record<'sqlite' | 'postgres', PreparedRead> = {
  sqlite: {
    name: 'insert_events',
    sql: `insert into event (${written.join(', ')}) select ${written.map((name) => `value ->> '$.${name}'`).join(', ')} from json_each(?)`,
  },
  postgres: {
    name: 'insert_events',
    sql: `insert into event (${written.join(', ')}) select ${written.join(', ')} from json_to_recordset(?::json) as rows (${written
      .map((name) => `${name} ${name === 'occurred_at' ? 'timestamptz' : 'text'}`)
      .join(', ')})`,
  },
}

const insertionOf = (tx: Tx, rows: readonly NewEvent[]): PreparedWrite => {
  const onPostgres = isPostgres(tx)
  const values = rows.map((row) => ({
    ...events.encode(row),
    occurred_at: onPostgres ? row.occurredAt.toISOString() : row.occurredAt.getTime(),
  }))
  return { statement: onPostgres ? insertRows.postgres : insertRows.sqlite, values: [JSON.stringify(values)] }
}

/** Writes the events of a transaction, all that are in the list by then, together with its commit. */
export const insertEvents = (tx: Tx, rows: readonly NewEvent[]): void => writeLast(tx, () => insertionOf(tx, rows))

/** When the event is dated that is the last one by its date. */
export const newestDate = async (db: Db): Promise<Date | undefined> => {
  const sql = 'select occurred_at from event order by occurred_at desc, id desc limit 1'
  const [row] = await readPrepared(db, { name: 'newest_event', sql }, [])
  return row === undefined ? undefined : time.decode(row['occurred_at'])
}

/** The data of the newest event of this type, as JSON text; undefined where there is none, or retention has left none. */
export const newestDataOf = async (db: Db, type: string): Promise<string | undefined> =>
  (await db.knex(events.name).where({ type }).orderBy('occurred_at', 'desc').orderBy('id', 'desc').first('data'))?.data

/** True, or 1, while events wait to be sealed. */
export const hasUnsealed = 'select exists(select 1 from event where position is null)'

/** Committed events that have no position yet, oldest first. */
export const listUnsealed = async (db: Db, limit: number): Promise<readonly EventRow[]> => {
  const sql = `select ${events.names.join(', ')} from event where position is null order by occurred_at, id limit ?`
  const rows = await readPrepared(db, { name: 'unsealed_events', sql }, [limit])
  return rows.map((row) => events.decode(row))
}

export interface Place {
  readonly id: string
  readonly position: number
  readonly hash: string
}

/**
 * Gives events their positions; answers how many had none before. With a plus SQLite does not search for events without a position, and reads all
 * places for each event that waits.
 */
export const placeEvents = async (tx: Tx, places: readonly Place[]): Promise<number> => {
  const from = isPostgres(tx)
    ? 'json_to_recordset(?::json) as place (id text, position bigint, hash text)'
    : "(select value ->> '$.id' as id, value ->> '$.position' as position, value ->> '$.hash' as hash from json_each(?)) as place"
  const sql = `update event set position = place.position, hash = place.hash from ${from} where event.id = place.id and +event.position is null returning event.id`
  return (await writePrepared(tx, { name: 'place_events', sql }, [JSON.stringify(places)])).length
}

/** Sealed events behind a position, in the order of the chain. */
export const listSealed = async (
  db: Db,
  { after, until, limit, types }: { after: number; until: number; limit: number; types?: readonly string[] },
): Promise<readonly SealedEvent[]> => {
  const query = db.knex(events.name).where('position', '>', after).where('position', '<=', until).orderBy('position').limit(limit)
  // The sign keeps SQLite from its index of types, by which it would read every event of them, ever, for the few behind a position.
  if (types !== undefined) query.whereRaw(`${isPostgres(db) ? '' : '+'}type in (${types.map(() => '?').join(', ')})`, [...types])
  const rows: Record<string, unknown>[] = await query.select(events.names)
  return rows.map((row) => events.decode(row) as SealedEvent)
}

/** The subject of an event, without its contents: actor, address and data. */
const headings = events.pick('id', 'type', 'occurredAt', 'subjectType', 'subjectId', 'organizationId', 'requestId', 'position')
export type EventHeading = Row<typeof headings.columns> & { readonly position: number }

/** Headings of sealed events behind a position, in the order of the chain. */
export const listHeadings = async (db: Db, after: number, until: number): Promise<readonly EventHeading[]> => {
  const sql = `select ${headings.names.join(', ')} from event where position > ? and position <= ? order by position`
  const rows = await readPrepared(db, { name: 'event_headings', sql }, [after, until])
  return rows.map((row) => ({ ...headings.decode(row), position: int.decode(row['position']) }))
}

/** Hashes of sealed events, by position, as far as there are events at these positions. */
export const listHashes = async (db: Db, positions: readonly number[]): Promise<ReadonlyMap<number, string>> => {
  const rows: { position: unknown; hash: string }[] = await db
    .knex(events.name)
    .whereIn('position', [...positions])
    .select('position', 'hash')
  return new Map(rows.map(({ position, hash }) => [int.decode(position), hash]))
}

export const findEvent = (db: Db, id: string): Promise<EventRow | undefined> => events.find(db, { id })
export const countUnsealed = async (db: Db): Promise<number> =>
  Number((await db.knex(events.name).whereNull('position').count({ count: '*' }).first())?.['count'])
export const isAnySealed = async (db: Db): Promise<boolean> =>
  (await db.knex(events.name).whereNotNull('position').first('id')) !== undefined

/** Sealed events up to a position, that one included. */
export const sealedUntil = (position: number): Outdated => ({
  table: events.name,
  key: ['id'],
  choose: (rows) => rows.where('position', '<=', position),
})
