import type { Knex } from 'knex'
import { countUpTo, estimateRows, mostCounted, type Total, totalOf } from './count.ts'
import { type Db, isPostgres, type RawRow } from './database.ts'

/** Where a page starts, and its order. The columns have fixed names that never come from a caller, and they are never null. */
export interface Keyset {
  readonly columns: readonly [value: string, id: string]
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly after: readonly [value: Knex.Value, id: string] | undefined
}

/** Reads a page. With an index on both columns, a page after a million rows takes as long as the first. */
export const readPage = <Query extends Knex.QueryBuilder>(query: Query, { columns, order, limit, after }: Keyset): Query => {
  if (after !== undefined) query.whereRaw(`(??, ??) ${order === 'asc' ? '>' : '<'} (?, ?)`, [...columns, ...after])
  return query.orderBy(columns.map((column) => ({ column, order }))).limit(limit) as Query
}

/** Reads a page, and on request counts all rows. `rows` is the query of the complete list. */
export const readCounted = async (
  db: Db,
  rows: Knex.QueryBuilder,
  { isCounted, ...keyset }: Keyset & { readonly isCounted?: boolean | undefined },
  table: string,
): Promise<{ readonly rows: RawRow[]; readonly total: Total | null }> => {
  const all = rows.clone().clearSelect()
  const total = isCounted === true ? await totalOf(db, all, isWhole(all) ? table : undefined) : null
  return { rows: await readPage(rows, keyset), total }
}

type Condition = (query: Knex.QueryBuilder) => void

/** A list whose conditions are not all in the index of its order. */
export interface Window extends Keyset {
  /** The table whose index gives the order. It has the alias `x`. `columns` are columns of this table, without an alias. */
  readonly from: string
  readonly select: readonly string[]
  /** The part of the condition that the index covers. */
  readonly where?: Condition
  /**
   * The condition on the candidates. They have the alias `c` and all columns of `select`. The condition may join other tables. Undefined
   * if the index covers all conditions.
   */
  readonly rest: Condition | undefined
  /** Also counts all rows (`Cursor`). */
  readonly isCounted?: boolean | undefined
}

/**
 * Joins the one row with this `key` in another table to each candidate of a window. PostgreSQL looks up a row when the page reaches it.
 * With a plain join it would read a table of 100,000 rows completely, because it expects to need a thousand candidates.
 */
export const joinOne = (
  query: Knex.QueryBuilder,
  db: Db,
  { table, as, key, of, left = false }: Readonly<Record<'table' | 'as' | 'key' | 'of', string>> & { readonly left?: boolean },
) =>
  query.joinRaw(
    isPostgres(db)
      ? `${left ? 'left' : 'inner'} join lateral (select * from "${table}" where ${key} = ${of} limit 1) as ${as} on true`
      : `${left ? 'left' : 'inner'} join "${table}" as ${as} on ${as}.${key} = ${of}`,
  )

/** Number of candidates for a page. */
export const windowRows = 1_000

/** True for a query without a condition. */
export const isWhole = (rows: Knex.QueryBuilder): boolean => !/ where /.test(rows.toSQL().sql)

/**
 * The total of a window. Reads at most 10,001 rows of an index. If there are more, the total is an estimate from the share of these rows
 * that meet all conditions, or a lower bound.
 */
const totalOfWindow = async (db: Db, { from, select, where = () => undefined, rest }: Window): Promise<Total> => {
  const candidates = () => {
    const query = db.knex(`${from} as x`)
    where(query)
    return query
  }
  const whole = isWhole(candidates()) ? from : undefined
  if (rest === undefined) return totalOf(db, candidates(), whole)
  const some = candidates()
    .select(select.map((column) => `x.${column}`))
    .limit(mostCounted + 1)
  const found = db.knex.from(some.as('c'))
  rest(found)
  const count = await countUpTo(db, found.clearSelect(), null)
  const looked = count > mostCounted ? count : await countUpTo(db, candidates(), mostCounted + 1)
  if (looked <= mostCounted) return { count, isExact: true }
  const about = whole === undefined ? 0 : Math.round((count / looked) * (await estimateRows(db, whole)))
  return { count: Math.max(Math.min(count, mostCounted), about), isExact: false }
}

/** The next rows in the order of the index, before further conditions. */
const nextRows = (db: Db, { from, select, where, columns: [value, id], order, after }: Window, limit: number) => {
  const query = db.knex(`${from} as x`).select(select.map((column) => `x.${column}`))
  where?.(query)
  return readPage(query, { columns: [`x.${value}`, `x.${id}`], order, limit, after })
}

/** A page of the rows that meet all conditions. It examines the next `most` rows in the order of an index. */
export const readCandidates = async (db: Db, window: Window, most = windowRows): Promise<RawRow[]> => {
  const { rest, limit, columns, order } = window
  if (rest === undefined) return nextRows(db, window, limit)
  const found = db.knex.from(nextRows(db, window, most).as('c')).limit(limit)
  rest(found)
  return found.orderBy(columns.map((column) => ({ column: `c.${column}`, order })))
}

/**
 * Reads a page of the rows that meet all conditions. It examines the next thousand rows in the order of an index, so that a page takes
 * the same time however few rows match. A page that is not full returns the position that it has reached, where the next page continues.
 * Undefined means that the list has ended.
 */
export const readWindow = async (
  db: Db,
  window: Window,
): Promise<{ readonly rows: RawRow[]; readonly lookedTo: RawRow | undefined; readonly total: Total | undefined }> => {
  const total = window.isCounted === true ? await totalOfWindow(db, window) : undefined
  const rows = await readCandidates(db, window)
  if (window.rest === undefined || rows.length === window.limit) return { rows, lookedTo: undefined, total }
  const [lookedTo]: RawRow[] = await nextRows(db, window, 1).offset(windowRows - 1)
  return { rows, lookedTo, total }
}
