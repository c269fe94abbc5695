import type { Knex } from 'knex'
import { estimateRows, mostCounted, type Total } from '../db/count.ts'
import { type Db, isPostgres } from '../db/database.ts'
import { type EventRow, events, places } from './store.ts'

/** Filters of a list of events. An event has to match all of them. */
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
  /** The exact reason. */
  readonly reason?: string | undefined
  readonly since?: Date | undefined
  /** Before this time. */
  readonly until?: Date | undefined
}

/** The place of an event in the order of time. */
export type EventPlace = Pick<EventRow, 'id' | 'occurredAt'>

export interface EventPage {
  readonly order: 'asc' | 'desc'
  readonly limit: number
  /** The page begins after this place. */
  readonly after?: EventPlace | undefined
}

export interface FoundEvents {
  readonly events: readonly EventRow[]
  /** Where the next page begins, or undefined at the end. A page may have fewer events than its limit, or none, although another page follows. */
  readonly next: EventPlace | undefined
}

/** Filters for one value, the most selective first. The first one in use chooses the index; the others are checked on its rows. */
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

/** Largest number of index entries that are read for a page while other filters exclude them. */
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
/** The condition of a partial index, which contains kinds other than users. A statement with this condition uses it. */
const isOfKind = (kind: string): Condition => ({
  sql: kind === 'user' ? 'actor_kind = ?' : "actor_kind = ? and actor_kind <> 'user'",
  values: [kind],
})

/** The conditions that an index covers, and all others. */
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

/** The conditions for the times in a filter. */
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

/** The number of matching events among the newest 10,001 of each index. */
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
 * A page of events. Each filter has an index in the order of time, and the most selective one is used. If the other filters exclude its
 * entries, a page ends after 2000 of them, so that no combination of filters reads the whole table.
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

  /** Selects rows of all sources. `cut` ends each of them. */
  const select = (names: string, cut: string): string =>
    sources
      .map((source) => `select * from (select ${names} from event where ${join([source, ...range])} ${ordered} ${cut}) as part`)
      .join(' union all ')
  const sourceValues = sources.flatMap((source) => valuesOf([source, ...range]))

  // All sources have to end where the first of them ends.
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
