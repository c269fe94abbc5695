import type { Knex } from 'knex'
import { type Cursor, numberAfter, type PlacedRows, type Position, readInTurn, textAfter, timeAfter } from '../page.ts'
import type { Db, RawRow } from './database.ts'
import { joinOne, readWindow } from './keyset.ts'
import type { searchTerms } from './search.ts'
import { time } from './table.ts'

type Conditions = (query: Knex.QueryBuilder, alias: string) => void

/** A list whose rows can be searched, with the filters that the caller has set. */
export interface SearchedRows<Row> {
  /** The table whose rows are searched. The terms of its rows are in the table `<table>_search`. */
  readonly table: string
  readonly terms: ReturnType<typeof searchTerms>
  readonly columnsOf: (alias: string) => readonly (string | Knex.Raw)[]
  readonly decode: (raw: RawRow) => Row
  /** True if no filter is set. */
  readonly isWhole: boolean
  /** The conditions of all filters. */
  readonly filter: Conditions
  /** Those conditions of the filters that the index by time of creation contains. */
  readonly indexed: Conditions
  /** The other conditions of the filters. They are checked on each row that this index gives. */
  readonly checked?: Conditions
}

type Part = Pick<Cursor, 'limit' | 'after'>

/**
 * One page of the rows that have, for each word, a term that begins with it. The rows are sorted by the term that begins with the rarest
 * word.
 */
const searchBeginnings = async <Row>(
  db: Db,
  words: readonly string[],
  { table, terms, columnsOf, decode, filter }: SearchedRows<Row>,
  { limit, after }: Part,
): Promise<PlacedRows<Row>> => {
  const [rarest, ...others] = await terms.rarestFirst(db, words)
  if (rarest === undefined) return { found: [], lookedTo: undefined }
  const idColumn = `${table}_id`
  const placeOf = (raw: RawRow): Position => ({ value: String(raw['term']), id: String(raw[idColumn]) })
  const { rows, lookedTo } = await readWindow(db, {
    from: `${table}_search`,
    columns: ['term', idColumn],
    select: ['term', idColumn],
    order: 'asc',
    limit,
    after: textAfter(after),
    where: (query) => query.whereRaw(...terms.beginsWith(rarest)),
    rest: (query) => {
      joinOne(query, db, { table, as: 'r', key: 'id', of: `c.${idColumn}` })
      query.select([...columnsOf('r'), 'c.term', `c.${idColumn}`])
      for (const [sql, values] of terms.rest([rarest, ...others])) query.whereRaw(sql, values)
      filter(query, 'r')
    },
  })
  return { found: rows.map((raw) => ({ row: decode(raw), position: placeOf(raw) })), lookedTo: lookedTo && placeOf(lookedTo) }
}

/**
 * One page of the rows that have the words inside of terms, the newest first. Without a filter, rows are read in the order in which they
 * were added, so that a page reads no more rows than it shows; a position in the list is then the number of a text. With a filter, rows
 * are read by their time of creation, and a position is such a time.
 */
const searchInside = async <Row>(
  db: Db,
  words: readonly string[],
  { table, terms, columnsOf, decode, isWhole, indexed, checked }: SearchedRows<Row>,
  { limit, after }: Part,
): Promise<PlacedRows<Row>> => {
  const rest = (query: Knex.QueryBuilder) => {
    joinOne(query, db, { table, as: 'r', key: 'id', of: 'c.id' })
    query.select([...columnsOf('r')])
    checked?.(query, 'r')
  }
  if (isWhole) {
    const { rows, lookedTo } = await terms.texts.readNewest(db, words, { limit, before: numberAfter(after), rest })
    return {
      found: rows.map((raw) => ({ row: decode(raw), position: { value: Number(raw['number']), id: '' } })),
      lookedTo: lookedTo === undefined ? undefined : { value: lookedTo, id: '' },
    }
  }
  const placeOf = (raw: RawRow): Position => ({ value: time.decode(raw['created_at']).getTime(), id: String(raw['id']) })
  const columns = ['created_at', 'id'] as const
  const { rows, lookedTo } = await terms.texts.readMatching(
    db,
    {
      ...{ from: table, columns, select: columns, order: 'desc', limit, after: timeAfter(after), rest },
      where: (query) => indexed(query, 'x'),
    },
    words,
    'inside',
  )
  return { found: rows.map((raw) => ({ row: decode(raw), position: placeOf(raw) })), lookedTo: lookedTo && placeOf(lookedTo) }
}

/**
 * One page of the rows that contain all words. First come the rows that have terms which begin with the words. Then come the rows that
 * have the words inside of terms.
 */
export const searchRows = <Row>(
  db: Db,
  words: readonly string[],
  searched: SearchedRows<Row>,
  page: Part,
): Promise<PlacedRows<Row>> =>
  readInTurn(page, [(part) => searchBeginnings(db, words, searched, part), (part) => searchInside(db, words, searched, part)])
