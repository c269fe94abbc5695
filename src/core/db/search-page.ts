import type { Knex } from 'knex'
import { type Cursor, numberAfter, type PlacedRows, type Position, readInTurn, textAfter, timeAfter } from '../page.ts'
import type { Db, RawRow } from './database.ts'
import { joinOne, readWindow } from './keyset.ts'
import type { searchTerms } from './search.ts'
import { time } from './table.ts'

type Conditions = (query: Knex.QueryBuilder, alias: string) => void

/** The rows of a list that a search examines, with the conditions of the list's filters. */
export interface SearchedRows<Row> {
  /** The table of the rows. Their terms are in `<table>_search`. */
  readonly table: string
  readonly terms: ReturnType<typeof searchTerms>
  readonly columnsOf: (alias: string) => readonly (string | Knex.Raw)[]
  readonly decode: (raw: RawRow) => Row
  /** True if the filters have no conditions. */
  readonly isWhole: boolean
  /** All conditions of the filters. */
  readonly filter: Conditions
  /** The conditions that the index by time of creation covers. */
  readonly indexed: Conditions
  /** The conditions that are checked on each row of that index. */
  readonly checked?: Conditions
}

type Part = Pick<Cursor, 'limit' | 'after'>

/** One page of the rows that have terms which begin with the words. They are in the order of the found term. */
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
 * One page of the rows that have the words inside of terms, the newest first. Rows are read in the order in which they were added, so
 * that a page reads no more rows than it shows. If there is a filter, they are read by their time of creation. A place in the list is the
 * number of a text, or the time of creation.
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
 * One page of the rows that contain all words. First come rows whose terms begin with the words, then rows that have the words inside of
 * terms.
 */
export const searchRows = <Row>(
  db: Db,
  words: readonly string[],
  searched: SearchedRows<Row>,
  page: Part,
): Promise<PlacedRows<Row>> =>
  readInTurn(page, [(part) => searchBeginnings(db, words, searched, part), (part) => searchInside(db, words, searched, part)])
