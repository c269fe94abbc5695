import type { Knex } from 'knex'
import { numberAfter, type PlacedRows, type Position, timeAfter } from '../page.ts'
import type { Db, RawRow } from './database.ts'
import type { searchTexts } from './search-text.ts'
import { time } from './table.ts'

interface Inside<Row> {
  readonly texts: ReturnType<typeof searchTexts>
  readonly words: readonly string[]
  /** The table of the rows, which has `created_at` and `id`. */
  readonly from: string
  /** The filter that an index of the times decides, on the alias `x`. Undefined: nothing is filtered. */
  readonly where: ((query: Knex.QueryBuilder) => void) | undefined
  /** Joins the row by `c.id`, selects its columns, and applies the rest of the filter. */
  readonly rest: (query: Knex.QueryBuilder) => void
  readonly decode: (raw: RawRow) => Row
}

/**
 * One page of the rows that have the words inside of terms, the newest first: as they were added, so that the page reads no more than it shows, and with
 * a filter by their times. A place is the number of the text, or the time.
 */
export const readInside = async <Row>(
  db: Db,
  { texts, words, from, where, rest, decode }: Inside<Row>,
  { limit, after }: { readonly limit: number; readonly after: Position | undefined },
): Promise<PlacedRows<Row>> => {
  if (where === undefined) {
    const { rows, lookedTo } = await texts.readNewest(db, words, { limit, before: numberAfter(after), rest })
    return {
      found: rows.map((raw) => ({ row: decode(raw), position: { value: Number(raw['number']), id: '' } })),
      lookedTo: lookedTo === undefined ? undefined : { value: lookedTo, id: '' },
    }
  }
  const columns = ['created_at', 'id'] as const
  const window = { from, columns, select: columns, order: 'desc', limit, after: timeAfter(after), where, rest } as const
  const { rows, lookedTo } = await texts.readMatching(db, window, words, 'inside')
  const placeOf = (raw: RawRow): Position => ({ value: time.decode(raw['created_at']).getTime(), id: String(raw['id']) })
  return { found: rows.map((raw) => ({ row: decode(raw), position: placeOf(raw) })), lookedTo: lookedTo && placeOf(lookedTo) }
}
