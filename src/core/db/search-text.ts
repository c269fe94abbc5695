import type { Knex } from 'knex'
import { type Total, totalOf } from './count.ts'
import { type Db, isPostgres, listParameter, type RawRow, type Tx, writeRaw } from './database.ts'
import { joinOne, readCandidates, readWindow, type Window, windowRows } from './keyset.ts'

/** These blanks are stored before each term. With them, even a beginning of one letter has three characters, which is the length of a trigram. */
const before = '  '

/** Largest number of trigrams that a search uses. Further trigrams would exclude only few rows. */
const mostTrigrams = 16

type Condition = readonly [sql: string, values: readonly string[]]

/** Joins the terms of a row into one text. */
export const textOfTerms = (terms: readonly string[]): string => [...new Set(terms)].map((term) => before + term).join('')

/**
 * The string to look for in the stored text. For a word of one or two characters it begins with the blanks that stand before each term,
 * so that the word matches only at the beginning of a term.
 */
const partOf = (word: string): string => ([...word].length < 3 ? before + word : word)

/**
 * Selects trigrams of a part: every third trigram, and the last one. Together they cover the part. The other trigrams would exclude only
 * few further rows, and reading the list of a frequent trigram costs up to a million rows.
 */
const trigramsOf = (part: string): readonly string[] => {
  const points = [...part]
  const all = points.slice(2).map((_, i) => points.slice(i, i + 3).join(''))
  return all.filter((_, i) => i % 3 === 0 || i === all.length - 1)
}

/**
 * The number of a trigram, computed as the function `search_trigrams` in PostgreSQL does. Different trigrams may have the same number, so
 * the texts themselves are compared as well.
 */
const numberOf = (trigram: string): number =>
  [...trigram].reduce((number, point) => (number << 10) | ((point.codePointAt(0) ?? 0) & 1023), 0)

/** Conditions that the text contains each of the parts. The table of texts has the alias `t`. */
const includes = (db: Db, parts: readonly string[]): readonly Condition[] =>
  parts.map((part) => [isPostgres(db) ? 'strpos(t.text, ?) > 0' : 'instr(t.text, ?) > 0', [part]])

/**
 * Which rows a search returns. `whole`: all rows that contain all words. `inside`: only those of these rows in which not every word
 * begins a term.
 */
type Matching = 'whole' | 'inside'

const conditionsOf = (db: Db, words: readonly string[], matching: Matching): readonly Condition[] => {
  const all = includes(db, words.map(partOf))
  if (matching === 'whole') return all
  const beginnings = includes(
    db,
    words.map((word) => before + word),
  )
  return [...all, [`not (${beginnings.map(([sql]) => sql).join(' and ')})`, beginnings.flatMap(([, values]) => values)]]
}

const apply = (query: Knex.QueryBuilder, conditions: readonly Condition[]) => {
  for (const [sql, values] of conditions) query.whereRaw(sql, values)
}

/** On PostgreSQL, the index is read in blocks of numbers. A block has 2^15 numbers; the function `search_keys` uses the same size. */
const blockBits = 15

/** Number of rows of the list that are examined before the trigrams are used. If a word is frequent, these rows already fill the page. */
const firstRows = 200

/**
 * Stores and finds the terms of the rows of the table `name`. The terms are in a second table, which has one text for each row, and an
 * index of trigrams. Migrations create table and index with `createSearchText`. Each text has a number, and the numbers follow the order
 * in which the rows were added.
 */
export const searchTexts = (name: string) => {
  const table = `${name}_search_text`
  const idColumn = `${name}_id`

  /**
   * A query, with the alias `t`, for the texts that contain all trigrams of the words, the newest first. On PostgreSQL the thousand
   * newest texts come first, whether or not they contain the trigrams. Both databases read only as many texts as the caller takes. With
   * `most`, at most that many texts are returned, and each text has its `place` in the result.
   */
  const candidates = (
    db: Db,
    words: readonly string[],
    { before, most }: { readonly before?: number | undefined; readonly most?: number } = {},
  ): Knex.QueryBuilder => {
    const { knex } = db
    const trigrams = [...new Set(words.map(partOf).flatMap(trigramsOf))].slice(0, mostTrigrams)
    const [place, limit] = most === undefined ? ['', ''] : ['as place', `limit ${most}`]
    const counted = (order: string) => place && `, row_number() over (${order}) ${place}`
    const behind = (column: string) => (before === undefined ? '' : `and ${column} < ${before}`)
    if (!isPostgres(db))
      return knex.from(
        knex.raw(
          `(select i.rowid as number ${counted('order by i.rowid desc')} from ${name}_search_trigrams i
            where i.${name}_search_trigrams match ? ${behind('i.rowid')} order by i.rowid desc ${limit}) i
            cross join ${table} t on t.number = i.number`,
          [trigrams.map((one) => `"${one.replaceAll('"', '""')}"`).join(' ')],
        ),
      )
    const newest = `from ${table} where true ${behind('number')} order by number desc`
    const keys = trigrams.map((one) => `block << 30 | ${numberOf(one)}`)
    // The operator is written with its schema, because the extension intarray has another operator with the same name that the index does
    // not support. `+ 0` keeps PostgreSQL from using the index of numbers: most numbers are below the limit, so that index would exclude
    // hardly any text.
    return knex.from(
      knex.raw(`((select * ${place && `, 0 ${place}`} ${newest} limit ${windowRows}) union all
        (select found.* ${counted('')} from (select coalesce((select number ${newest} offset ${windowRows - 1} limit 1), 0) as number offset 0) as floor
          cross join lateral generate_series(floor.number - 1 >> ${blockBits}, 0, -1) as block
          cross join lateral (select * from ${table} where search_keys(text, number) operator(pg_catalog.@>) array[${keys}]
            and number + 0 < floor.number order by number desc) as found ${limit})) as t`),
    )
  }

  return {
    insert: async (tx: Tx, id: string, terms: readonly string[]): Promise<void> => {
      await writeRaw(tx, `insert into ${table} (${idColumn}, text) values (?, ?)`, [id, textOfTerms(terms)])
    },
    /** Replaces the text of a row. The number of the text does not change. */
    replace: async (tx: Tx, id: string, terms: readonly string[]): Promise<void> => {
      await writeRaw(tx, `update ${table} set text = ? where ${idColumn} = ?`, [textOfTerms(terms), id])
    },
    /** The number of rows that contain the words, exact up to 10,000. `filter` joins the searched table to `t` and adds conditions. */
    total: async (db: Db, words: readonly string[], filter?: (query: Knex.QueryBuilder) => void): Promise<Total> => {
      if (words.length === 0) return { count: 0, isExact: true }
      const query = candidates(db, words)
      apply(query, conditionsOf(db, words, 'whole'))
      filter?.(query)
      return totalOf(db, query, undefined)
    },
    /**
     * One page of the rows that contain all words, not all of them at the beginning of a term. Rows are sorted by the numbers of their
     * texts, the newest first. The page starts after the number `before`, and examines at most a thousand texts. `rest` joins the
     * searched table by `c.id` and selects its columns; `number` is always selected.
     */
    readNewest: async (
      db: Db,
      words: readonly string[],
      { limit, before, rest }: { readonly limit: number; readonly before: number | undefined; readonly rest: Window['rest'] },
    ): Promise<{ readonly rows: RawRow[]; readonly lookedTo: number | undefined }> => {
      if (words.length === 0) return { rows: [], lookedTo: undefined }
      const conditions = conditionsOf(db, words, 'inside')
      const matches = conditions.map(([sql]) => sql).join(' and ')
      const values = conditions.flatMap((condition) => condition[1])
      // The last of the thousand texts is always read, even if it does not match, because the next page begins after it.
      const taken = candidates(db, words, { before, most: windowRows })
        .whereRaw(`((${matches}) or place = ${windowRows})`, values)
        .select('t.number', 'place', `t.${idColumn} as id`, db.knex.raw(`(${matches}) as matches`, values))
        .limit(limit)
      const query = db.knex.from(taken.as('c'))
      rest?.(query)
      const found: RawRow[] = await query.select('c.number', 'c.place', 'c.matches').orderBy('c.number', 'desc')
      const rows = found.filter((row) => Boolean(row['matches']))
      const last = rows.length === limit ? undefined : found.find((row) => Number(row['place']) === windowRows)
      return { rows, lookedTo: last && Number(last['number']) }
    },
    /**
     * One page of the rows of a window that contain the words. First, the next rows of the list are examined: if many rows match, these
     * fill the page. Otherwise, if at most a thousand rows match, trigrams find them. Otherwise the page contains the matching rows among
     * the next thousand rows of the list.
     */
    readMatching: async (
      db: Db,
      window: Window,
      words: readonly string[],
      matching: Matching,
    ): Promise<{ readonly rows: RawRow[]; readonly lookedTo: RawRow | undefined }> => {
      if (words.length === 0) return { rows: [], lookedTo: undefined }
      const conditions = conditionsOf(db, words, matching)
      const { where, rest } = window
      const ask = rest ?? ((query: Knex.QueryBuilder) => query.select('c.*'))
      const walked: Window = {
        ...window,
        rest: (query) => {
          joinOne(query, db, { table, as: 't', key: idColumn, of: `c.${window.columns[1]}` })
          apply(query, conditions)
          ask(query)
        },
      }
      const first = await readCandidates(db, walked, firstRows)
      if (first.length === window.limit) return { rows: first, lookedTo: undefined }
      const some = candidates(db, words)
      apply(some, conditions)
      const found: readonly { readonly id: string }[] = await some.select(`t.${idColumn} as id`).limit(windowRows)
      if (found.length === windowRows) return readWindow(db, walked)
      if (found.length === 0) return { rows: [], lookedTo: undefined }
      const { sql, encode } = listParameter(db)
      const rows = await readCandidates(db, {
        ...window,
        where: (query) => {
          where?.(query)
          query.whereRaw(`x.${window.columns[1]} ${sql}`, [encode(found.map(({ id }) => id)) as Knex.RawBinding])
        },
        rest: ask,
      })
      return { rows, lookedTo: undefined }
    },
  }
}
