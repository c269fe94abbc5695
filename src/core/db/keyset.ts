import type { Knex } from 'knex'
import { countUpTo, estimateRows, mostCounted, type Total, totalOf } from './count.ts'
import { type Db, isPostgres, type RawRow } from './database.ts'

/** The start and order of a page. The names of the columns never come from a caller. The columns must not contain null. */
export interface Keyset {
  readonly columns: readonly [value: string, id: string]
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly after: readonly [value: Knex.Value, id: string] | undefined
}

/** Reads a page. If an index contains both columns, a page after a million rows takes as long as the first page. */
export const readPage = <Query extends Knex.QueryBuilder>(query: Query, { columns, order, limit, after }: Keyset): Query => {
  if (after !== undefined) query.whereRaw(`(??, ??) ${order === 'asc' ? '>' : '<'} (?, ?)`, [...columns, ...after])
  return query.orderBy(columns.map((column) => ({ column, order }))).limit(limit) as Query
}

/** Reads a page. If the query requests it, also counts all rows of `rows`, which is the query of the complete list. */
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

/** A list that reads rows in the order of an index, with further conditions that this index does not contain. */
export interface Window extends Keyset {
  /** The table with the index that gives the order. In SQL the table has the alias `x`. `columns` are columns of this table, without an alias. */
  readonly from: string
  readonly select: readonly string[]
  /** The conditions that the index contains. */
  readonly where?: Condition
  /**
   * The further conditions. They are applied to the rows that the index gives (the candidates), which have the alias `c` and the columns
   * `select`. The conditions may join other tables. Undefined if there are none.
   */
  readonly rest: Condition | undefined
  /** True if all rows are to be counted, too (see `Cursor`). */
  readonly isCounted?: boolean | undefined
}

/**
 * Joins, to each candidate of a window, the row of another table whose column `key` has the value `of`. PostgreSQL looks up this row only
 * when the page reaches the candidate. With a plain join PostgreSQL would read a table of 100,000 rows completely, because it expects to
 * need it for a thousand candidates.
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

/** Number of candidates that are examined for one page. */
export const windowRows = 1_000

/** True for a query that has no condition. */
export const isWhole = (rows: Knex.QueryBuilder): boolean => !/ where /.test(rows.toSQL().sql)

/**
 * The total number of rows of a window. Examines at most 10,001 rows of the index. If the index has more, the total is estimated from the
 * share of the examined rows that meets all conditions, or is a lower bound.
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

/** The next rows in the order of the index. The further conditions are not applied yet. */
const nextRows = (db: Db, { from, select, where, columns: [value, id], order, after }: Window, limit: number) => {
  const query = db.knex(`${from} as x`).select(select.map((column) => `x.${column}`))
  where?.(query)
  return readPage(query, { columns: [`x.${value}`, `x.${id}`], order, limit, after })
}

/** A page of the rows that meet all conditions. It examines the next `most` rows in the order of the index. */
export const readCandidates = async (db: Db, window: Window, most = windowRows): Promise<RawRow[]> => {
  const { rest, limit, columns, order } = window
  if (rest === undefined) return nextRows(db, window, limit)
  const found = db.knex.from(nextRows(db, window, most).as('c')).limit(limit)
  rest(found)
  return found.orderBy(columns.map((column) => ({ column: `c.${column}`, order })))
}

/**
 * Reads a page of the rows that meet all conditions. It examines the next thousand rows in the order of the index, so that the time for a
 * page does not depend on how many rows meet the conditions. If the page is not full, the answer contains the position after the last
 * examined row, and the next page continues there. If that position is undefined, the list has ended.
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
