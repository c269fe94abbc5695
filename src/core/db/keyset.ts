import type { Knex } from 'knex'
import { countUpTo, estimateRows, mostCounted, type Total, totalOf } from './count.ts'
import { type Db, isPostgres, type RawRow } from './database.ts'

/** The start and the order of a page. Columns are fixed names, never a caller's text, and never null. */
export interface Keyset {
  readonly columns: readonly [value: string, id: string]
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly after: readonly [value: Knex.Value, id: string] | undefined
}

/** Reads a page: an index on both columns makes it as fast after a million rows as at the start. */
export const readPage = <Query extends Knex.QueryBuilder>(query: Query, { columns, order, limit, after }: Keyset): Query => {
  if (after !== undefined) query.whereRaw(`(??, ??) ${order === 'asc' ? '>' : '<'} (?, ?)`, [...columns, ...after])
  return query.orderBy(columns.map((column) => ({ column, order }))).limit(limit) as Query
}

/** Reads a page, and counts all rows on request. `rows` is the query without a page. */
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

/** A list with conditions that the index of its order does not contain. */
export interface Window extends Keyset {
  /** The table whose index gives the order, with the alias `x`; `columns` are its own, without an alias. */
  readonly from: string
  readonly select: readonly string[]
  /** The part of the condition that the index contains. */
  readonly where?: Condition
  /**
   * The condition on the candidates, which have the alias `c` and all columns of `select`; it may join other tables. Undefined where the
   * index decides alone.
   */
  readonly rest: Condition | undefined
  /** Also counts all rows (`Cursor`). */
  readonly isCounted?: boolean | undefined
}

/**
 * Joins the one row of a table with this `key` to the candidates of a window. PostgreSQL looks up each row when the page reaches it;
 * otherwise it would read a table of 100,000 rows as a whole, because a thousand candidates may be needed.
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

/** True for a query without a condition on its table. */
export const isWhole = (rows: Knex.QueryBuilder): boolean => !/ where /.test(rows.toSQL().sql)

/**
 * The total of a window. At most 10,001 rows of an index are read; for more rows, the number is an estimate from the part of them that
 * meets all conditions, or a lower bound.
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

/** A page of the rows that meet all conditions, among the next `most` in the order of an index. */
export const readCandidates = async (db: Db, window: Window, most = windowRows): Promise<RawRow[]> => {
  const { rest, limit, columns, order } = window
  if (rest === undefined) return nextRows(db, window, limit)
  const found = db.knex.from(nextRows(db, window, most).as('c')).limit(limit)
  rest(found)
  return found.orderBy(columns.map((column) => ({ column: `c.${column}`, order })))
}

/**
 * Reads a page of the rows that meet all conditions, among the next thousand in the order of an index, so that a page takes the same time
 * however few rows match. A page that is not full returns how far it has looked, and the next one continues there. Undefined: the list
 * has ended.
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
