import type { Knex } from 'knex'
import { estimateRows, mostCounted, type Total } from '../db/count.ts'
import { type Db, isPostgres } from '../db/database.ts'
import { type EventRow, events, places } from './store.ts'

/** Filters of a list of events. An event is listed only if it matches all of them. */
export interface EventFilter {
  /** The event has one of these types. An empty list matches no event. */
  readonly types?: readonly string[] | undefined
  readonly actorKind?: string | undefined
  readonly actorId?: string | undefined
  readonly impersonatorId?: string | undefined
  readonly sessionId?: string | undefined
  readonly subjectId?: string | undefined
  readonly organizationId?: string | undefined
  readonly address?: string | undefined
  readonly requestId?: string | undefined
  /** Matches events whose reason is exactly this text. */
  readonly reason?: string | undefined
  readonly since?: Date | undefined
  /** Matches events before this time. */
  readonly until?: Date | undefined
}

/** The position of an event in a list that is sorted by time. */
export type EventPlace = Pick<EventRow, 'id' | 'occurredAt'>

export interface EventPage {
  readonly order: 'asc' | 'desc'
  readonly limit: number
  /** The page begins after this position. */
  readonly after?: EventPlace | undefined
}

export interface FoundEvents {
  readonly events: readonly EventRow[]
  /**
   * The position after which the next page begins. Undefined if there is no next page. If there is one, this page may still have fewer
   * events than its limit, or none.
   */
  readonly next: EventPlace | undefined
}

/**
 * Filters that compare one column with one value, and the column of each. The most selective filter comes first. An index on the column
 * of the first filter that is set is used. The other filters are checked on the rows of that index.
 */
const leads = {
  requestId: 'request_id',
  reason: 'reason',
  sessionId: 'session_id',
  impersonatorId: 'impersonator_id',
  subjectId: 'subject_id',
  actorId: 'actor_id',
  address: 'address',
  organizationId: 'organization_id',
} as const

/** If other filters exclude entries of the index, at most this many entries are read for one page. */
const mostExamined = 2_000

interface Condition {
  readonly sql: string
  readonly values: readonly Knex.RawBinding[]
}

const isEqual = (column: string, value: string): Condition => ({ sql: `${column} = ?`, values: [value] })
const isOneOf = (types: readonly string[]): Condition => ({
  sql: types.length === 0 ? '1 = 0' : `type in (${types.map(() => '?').join(', ')})`,
  values: types,
})
/**
 * True for events with this kind of actor. The index for this condition contains all kinds except `user`. PostgreSQL and SQLite use such
 * an index only if the statement repeats that exception.
 */
const isOfKind = (kind: string): Condition => ({
  sql: kind === 'user' ? 'actor_kind = ?' : "actor_kind = ? and actor_kind <> 'user'",
  values: [kind],
})

/**
 * Divides the filters into two lists of conditions. The first list is answered from an index. The second list is checked on the rows of
 * that index.
 */
const planOf = ({ types, actorKind, ...filter }: EventFilter): readonly [sources: Condition[], others: Condition[]] => {
  const equal = Object.entries(leads).flatMap(([name, column]) => {
    const value = filter[name as keyof typeof leads]
    return value === undefined ? [] : [isEqual(column, value)]
  })
  const [lead, ...others] = equal
  const ofType = types === undefined ? [] : [isOneOf(types)]
  const ofKind = actorKind === undefined ? [] : [isOfKind(actorKind)]
  if (lead !== undefined) return [[lead], [...others, ...ofType, ...ofKind]]
  if (types !== undefined) return [types.map((type) => isEqual('type', type)), ofKind]
  if (actorKind !== undefined && actorKind !== 'user') return [ofKind, []]
  return [[{ sql: '1 = 1', values: [] }], ofKind]
}

const join = (conditions: readonly Condition[]) => conditions.map(({ sql }) => sql).join(' and ')
const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(({ values }) => values)

/** The conditions for the times `since` and `until` of a filter. */
const rangeOf = (db: Db, { since, until }: EventFilter): Condition[] => {
  const timeOf = (time: Date) => (isPostgres(db) ? time : time.getTime())
  const range: Condition[] = []
  if (since !== undefined) range.push({ sql: 'occurred_at >= ?', values: [timeOf(since)] })
  if (until !== undefined) range.push({ sql: 'occurred_at < ?', values: [timeOf(until)] })
  return range
}

const ask = async (db: Db, sql: string, values: readonly Knex.RawBinding[]): Promise<Record<string, unknown>[]> => {
  const result = await db.knex.raw(sql, [...values])
  return isPostgres(db) ? result.rows : result
}

/** The number of events that match the filter. For each index in use, at most the newest 10,001 entries are examined. */
export const totalOfEvents = async (db: Db, filter: EventFilter): Promise<Total> => {
  const [sources, others] = planOf(filter)
  if (sources.length === 0) return { count: 0, isExact: true }
  const range = rangeOf(db, filter)
  const names = ['type', 'actor_kind', ...Object.values(leads)].join(', ')
  const parts = sources.map(
    (source) =>
      `select * from (select ${names} from event where ${join([source, ...range])} order by occurred_at desc, id desc limit ${mostCounted + 1}) as part`,
  )
  const fits = others.length === 0 ? '1' : `case when ${join(others)} then 1 else 0 end`
  const sql = `select count(*) as looked, coalesce(sum(${fits}), 0) as fitting from (${parts.join(' union all ')}) as found`
  const [row] = await ask(db, sql, [...valuesOf(others), ...sources.flatMap((source) => valuesOf([source, ...range]))])
  const [looked, count] = [Number(row?.['looked']), Number(row?.['fitting'])]
  if (looked <= mostCounted) return { count, isExact: true }
  const isWhole = Object.values(filter).every((value) => value === undefined)
  return {
    count: isWhole ? Math.max(mostCounted, await estimateRows(db, events.name)) : Math.min(count, mostCounted),
    isExact: false,
  }
}

/**
 * A page of events. For each filter there is an index in the order of time, and the index of the most selective filter is used. If the
 * other filters exclude its entries, the page ends after 2000 entries. So no combination of filters reads the whole table.
 */
export const searchEvents = async (db: Db, filter: EventFilter, { order, limit, after }: EventPage): Promise<FoundEvents> => {
  const [sources, others] = planOf(filter)
  if (sources.length === 0) return { events: [], next: undefined }
  const timeOf = (time: Date) => (isPostgres(db) ? time : time.getTime())
  const range = rangeOf(db, filter)
  if (after !== undefined)
    range.push({ sql: `(occurred_at, id) ${order === 'asc' ? '>' : '<'} (?, ?)`, values: [timeOf(after.occurredAt), after.id] })
  const ordered = `order by occurred_at ${order}, id ${order}`
  const examined = others.length === 0 ? limit + 1 : mostExamined

  /** SQL that selects the rows of all sources. A source is one condition that is answered from an index. `cut` is SQL that limits each source. */
  const select = (names: string, cut: string): string =>
    sources
      .map((source) => `select * from (select ${names} from event where ${join([source, ...range])} ${ordered} ${cut}) as part`)
      .join(' union all ')
  const sourceValues = sources.flatMap((source) => valuesOf([source, ...range]))

  // Each source is read up to a limit, and may end at a different time. The page must end at the first of these ends. Otherwise it would
  // contain later events of one source, while another source has not been read that far.
  const cuts = `select * from (${select('occurred_at, id', `limit 1 offset ${examined - 1}`)}) as cut ${ordered} limit 1`
  const [raw] = others.length === 0 ? [] : await ask(db, cuts, sourceValues)
  const cut = raw === undefined ? undefined : places.decode(raw)
  const kept: Condition[] = [...others]
  if (cut !== undefined)
    kept.push({ sql: `(occurred_at, id) ${order === 'asc' ? '<=' : '>='} (?, ?)`, values: [timeOf(cut.occurredAt), cut.id] })
  const where = kept.length === 0 ? '' : `where ${join(kept)} `
  const found = await ask(
    db,
    `select * from (${select(events.names.join(', '), `limit ${examined}`)}) as found ${where}${ordered} limit ${limit + 1}`,
    [...sourceValues, ...valuesOf(kept)],
  )
  const rows = found.map((row) => events.decode(row))
  return rows.length > limit ? { events: rows.slice(0, limit), next: rows[limit - 1] } : { events: rows, next: cut }
}
