import { type Db, isPostgres, readPrepared, type Tx, writeLast, writePrepared } from '../db/database.ts'
import type { PreparedRead } from '../db/driver.ts'
import type { Outdated } from '../db/sweep.ts'
import { int, nullable, type Row, table, text, time } from '../db/table.ts'
import type { PreparedWrite } from '../db/transaction.ts'

const columns = {
  id: text,
  type: text,
  occurredAt: time,
  /** The kind of actor: `user`, `system` and other kinds of principals. */
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
  /** The reason that the actor gave. Null if the actor gave none. */
  reason: nullable(text),
  /** Data of the event as JSON. The text is stored exactly as it was recorded, because the hash of the event covers it. */
  data: text,
  /** The position in the chain. Positions begin with 1 and have no gaps. Null until the event is sealed. */
  position: nullable(int),
  /** SHA-256 in hex over the previous hash and the columns of this event. */
  hash: nullable(text),
}
export const events = table('event', columns)
/** The columns that give the position of an event in a list that is sorted by time. */
export const places = events.pick('id', 'occurredAt')
export type EventRow = Row<typeof columns>
export type NewEvent = Omit<EventRow, 'position' | 'hash'>
export type SealedEvent = NewEvent & { readonly position: number; readonly hash: string }

const written = events.names.filter((name) => name !== 'position' && name !== 'hash')

/** Inserts any number of rows with one prepared statement. Its only parameter is one JSON text with all rows. */
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

/** Writes the events that a transaction has recorded. They are sent together with the commit. */
export const insertEvents = (tx: Tx, rows: readonly NewEvent[]): void => writeLast(tx, () => insertionOf(tx, rows))

/** The time of the latest event. Undefined if there is no event. */
export const newestDate = async (db: Db): Promise<Date | undefined> => {
  const sql = 'select occurred_at from event order by occurred_at desc, id desc limit 1'
  const [row] = await readPrepared(db, { name: 'newest_event', sql }, [])
  return row === undefined ? undefined : time.decode(row['occurred_at'])
}

/** The data of the newest event of this type, as JSON. Undefined if there is no such event. */
export const newestDataOf = async (db: Db, type: string): Promise<string | undefined> =>
  (await db.knex(events.name).where({ type }).orderBy('occurred_at', 'desc').orderBy('id', 'desc').first('data'))?.data

/** Selects true (on SQLite 1) if an event waits to be sealed. */
export const hasUnsealed = 'select exists(select 1 from event where position is null)'

/** Committed events that are not sealed yet, oldest first. */
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
 * Gives events their positions and hashes, and returns how many events it has changed. An event that already has a position is not
 * changed. In the SQL, `+` before a column keeps SQLite from using an index on it: through the index of `position` it would read all
 * positions for each event.
 */
export const placeEvents = async (tx: Tx, places: readonly Place[]): Promise<number> => {
  const from = isPostgres(tx)
    ? 'json_to_recordset(?::json) as place (id text, position bigint, hash text)'
    : "(select value ->> '$.id' as id, value ->> '$.position' as position, value ->> '$.hash' as hash from json_each(?)) as place"
  const sql = `update event set position = place.position, hash = place.hash from ${from} where event.id = place.id and +event.position is null returning event.id`
  return (await writePrepared(tx, { name: 'place_events', sql }, [JSON.stringify(places)])).length
}

/** Sealed events after a position, in the order of the chain. */
export const listSealed = async (
  db: Db,
  { after, until, limit, types }: { after: number; until: number; limit: number; types?: readonly string[] },
): Promise<readonly SealedEvent[]> => {
  const query = db.knex(events.name).where('position', '>', after).where('position', '<=', until).orderBy('position').limit(limit)
  // In the SQL, `+` before `type` keeps SQLite from using its index on this column. Through that index it would read all events of a type
  // to find the few after the position.
  if (types !== undefined) query.whereRaw(`${isPostgres(db) ? '' : '+'}type in (${types.map(() => '?').join(', ')})`, [...types])
  const rows: Record<string, unknown>[] = await query.select(events.names)
  return rows.map((row) => events.decode(row) as SealedEvent)
}

/** The columns that say what an event is about. Actor, network address and data are not among them. */
const headings = events.pick('id', 'type', 'occurredAt', 'subjectType', 'subjectId', 'organizationId', 'requestId', 'position')
export type EventHeading = Row<typeof headings.columns> & { readonly position: number }

/** The headings of sealed events after a position, in the order of the chain. */
export const listHeadings = async (db: Db, after: number, until: number): Promise<readonly EventHeading[]> => {
  const sql = `select ${headings.names.join(', ')} from event where position > ? and position <= ? order by position`
  const rows = await readPrepared(db, { name: 'event_headings', sql }, [after, until])
  return rows.map((row) => ({ ...headings.decode(row), position: int.decode(row['position']) }))
}

/** For each of these positions, the hash of the sealed event there. Positions without an event are left out. */
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

/** Sealed events up to this position, including it. */
export const sealedUntil = (position: number): Outdated => ({
  table: events.name,
  key: ['id'],
  choose: (rows) => rows.where('position', '<=', position),
})
