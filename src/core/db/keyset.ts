import type { Knex } from 'knex'

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
