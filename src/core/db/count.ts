import type { Knex } from 'knex'
import type { Db } from './database.ts'

/** How many rows a query finds, counted to at most `most`: what a page or a message says of many is "more than". */
export const countUpTo = async (db: Db, rows: Knex.QueryBuilder, most: number | null): Promise<number> => {
  const some = rows.select(db.knex.raw('1 as one'))
  const [row] = await db.knex.from((most === null ? some : some.limit(most)).as('some')).count({ count: '*' })
  return Number(row?.['count'])
}
