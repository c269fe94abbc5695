import type { Knex } from 'knex'
import { type Db, isPostgres } from './database.ts'

/** Counts the rows of a query, but at most up to `most`. Pages and messages then say "more than". */
export const countUpTo = async (db: Db, rows: Knex.QueryBuilder, most: number | null): Promise<number> => {
  const some = rows.select(db.knex.raw('1 as one'))
  const [row] = await db.knex.from((most === null ? some : some.limit(most)).as('some')).count({ count: '*' })
  return Number(row?.['count'])
}

/** Up to this number, rows are counted exactly. A larger total is approximate. */
export const mostCounted = 10_000

/** The total number of rows in a list. */
export interface Total {
  readonly count: number
  /** False if the true number may differ from `count`. */
  readonly isExact: boolean
}

/** Estimates the number of rows of a table. PostgreSQL has an estimate; on SQLite the smallest index is counted. */
export const estimateRows = async (db: Db, table: string): Promise<number> => {
  const { knex } = db
  if (!isPostgres(db)) return Number((await knex(table).count({ count: '*' }))[0]?.['count'])
  const { rows } = await knex.raw('select reltuples::float8 as count from pg_class where oid = ?::regclass', [`"${table}"`])
  return Number(rows[0]?.count ?? 0)
}

/** The total number of rows in a list, exact up to 10,000. For a list without a filter, `whole` is the name of its table. */
export const totalOf = async (db: Db, rows: Knex.QueryBuilder, whole: string | undefined): Promise<Total> => {
  const count = await countUpTo(db, rows, mostCounted + 1)
  if (count <= mostCounted) return { count, isExact: true }
  return { count: whole === undefined ? mostCounted : Math.max(mostCounted, await estimateRows(db, whole)), isExact: false }
}
