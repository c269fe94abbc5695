import type { Knex } from 'knex'
import { countUpTo, estimateRows, mostCounted, type Total, totalOf } from './count.ts'
import { type Db, isPostgres, type RawRow } from './database.ts'

/** Where a page begins and how it is ordered. Columns are names of ours, never a caller's text; neither holds null. */
export interface Keyset {
  readonly columns: readonly [value: string, id: string]
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly after: readonly [value: Knex.Value, id: string] | undefined
}

/** Reads one page: an index on both columns makes it as quick behind a million rows as at the start. */
export const readPage = <Query extends Knex.QueryBuilder>(query: Query, { columns, order, limit, after }: Keyset): Query => {
  if (after !== undefined) query.whereRaw(`(??, ??) ${order === 'asc' ? '>' : '<'} (?, ?)`, [...columns, ...after])
  return query.orderBy(columns.map((column) => ({ column, order }))).limit(limit) as Query
}

/** Reads one page, and counts the rows of all where that is asked for. `rows` is the query without a page. */
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

/** A list whose rows have to meet conditions that the index of its order does not know. */
export interface Window extends Keyset {
  /** The table whose index gives the order, with the alias `x`; `columns` are its own, without an alias. */
  readonly from: string
  readonly select: readonly string[]
  /** The part of the condition that the index decides. */
  readonly where?: Condition
  /**
   * The condition on the candidates, which have the alias `c` and all columns of `select`; it may join other tables. Undefined: nothing, the
   * index decides all.
   */
  readonly rest: Condition | undefined
  /** Counts the rows of all pages, too (`Cursor`). */
  readonly isCounted?: boolean | undefined
}

/**
 * Joins to the candidates of a window the one row of a table that has this `key`. PostgreSQL looks each row up when the page comes to it: left
 * to itself it reads a table of some 100,000 rows as a whole, because a thousand candidates may be asked for.
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

/** As many candidates are looked at for one page. */
export const windowRows = 1_000

/** True where a query asks for every row of its table. */
export const isWhole = (rows: Knex.QueryBuilder): boolean => !/ where /.test(rows.toSQL().sql)

/**
 * How many rows a window has in all. Of the rows that an index gives at most 10,001 are looked at; where there are more, the number is about as many as
 * the part of them says that meets all conditions, or at least so many.
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

/** The next rows in the order of the index, whatever else is asked of them. */
const nextRows = (db: Db, { from, select, where, columns: [value, id], order, after }: Window, limit: number) => {
  const query = db.knex(`${from} as x`).select(select.map((column) => `x.${column}`))
  where?.(query)
  return readPage(query, { columns: [`x.${value}`, `x.${id}`], order, limit, after })
}

/** One page of the rows that meet all conditions, out of the next `most` in the order of an index. */
export const readCandidates = async (db: Db, window: Window, most = windowRows): Promise<RawRow[]> => {
  const { rest, limit, columns, order } = window
  if (rest === undefined) return nextRows(db, window, limit)
  const found = db.knex.from(nextRows(db, window, most).as('c')).limit(limit)
  rest(found)
  return found.orderBy(columns.map((column) => ({ column: `c.${column}`, order })))
}

/**
 * Reads one page of the rows that meet all conditions, out of the next thousand in the order of an index: a page takes the same time however
 * few rows meet them. A page that is not full then says how far it has looked: the next one goes on there. Undefined: there are no more.
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
