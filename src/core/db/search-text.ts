import type { Knex } from 'knex'
import { type Total, totalOf } from './count.ts'
import { type Db, isPostgres, listParameter, type RawRow, type Tx, writeRaw } from './database.ts'
import { joinOne, readCandidates, readWindow, type Window, windowRows } from './keyset.ts'

/** Precedes each term of a text, so that the beginning of a term, however short, is a part with three characters. */
const before = '  '

/** Number of trigrams in a search: more would exclude few further rows. */
const mostTrigrams = 16

type Condition = readonly [sql: string, values: readonly string[]]

/** The terms of a row as one text. */
export const textOfTerms = (terms: readonly string[]): string => [...new Set(terms)].map((term) => before + term).join('')

/** The part of a text that matches a word: words of one or two characters only match beginnings of terms. */
const partOf = (word: string): string => ([...word].length < 3 ? before + word : word)

/**
 * Trigrams that cover a part: every third one, and the last. Those between them exclude few further rows, and each frequent one costs a
 * list of up to a million rows.
 */
const trigramsOf = (part: string): readonly string[] => {
  const points = [...part]
  const all = points.slice(2).map((_, i) => points.slice(i, i + 3).join(''))
  return all.filter((_, i) => i % 3 === 0 || i === all.length - 1)
}

/** The number that `search_trigrams` of PostgreSQL gives a trigram. Different trigrams may share one: the texts are compared, too. */
const numberOf = (trigram: string): number =>
  [...trigram].reduce((number, point) => (number << 10) | ((point.codePointAt(0) ?? 0) & 1023), 0)

/** Conditions on the alias `t`. */
const includes = (db: Db, parts: readonly string[]): readonly Condition[] =>
  parts.map((part) => [isPostgres(db) ? 'strpos(t.text, ?) > 0' : 'instr(t.text, ?) > 0', [part]])

/** `whole`: rows with all words. `inside`: without rows that have all of them at beginnings of terms. */
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

/**
 * The terms of the rows of a table `name`, one text a row, in a table with an index of trigrams; migrations make both with
 * `createSearchText`.
 */
export const searchTexts = (name: string) => {
  const table = `${name}_search_text`
  const idColumn = `${name}_id`

  /** Rows that match and that trigrams find, as a query with the alias `t`. */
  const find = (db: Db, words: readonly string[], conditions: readonly Condition[]): Knex.QueryBuilder => {
    const trigrams = [...new Set(words.map(partOf).flatMap(trigramsOf))].slice(0, mostTrigrams)
    // The extension intarray has an operator of the same name, which the index does not support.
    const query = isPostgres(db)
      ? db.knex(`${table} as t`).whereRaw('search_trigrams(t.text) operator(pg_catalog.@>) ?::int[]', [trigrams.map(numberOf)])
      : db.knex
          .from(db.knex.raw(`${name}_search_trigrams i cross join ${table} t on t.number = i.rowid`))
          .whereRaw(`i.${name}_search_trigrams match ?`, [trigrams.map((one) => `"${one.replaceAll('"', '""')}"`).join(' ')])
    apply(query, conditions)
    return query
  }

  /** Ids of the matching rows in any order; undefined for more than a page reads. */
  const idsOf = async (
    db: Db,
    words: readonly string[],
    conditions: readonly Condition[],
  ): Promise<readonly string[] | undefined> => {
    const query = find(db, words, conditions)
    const rows: readonly { readonly id: string }[] = await query.select(`t.${idColumn} as id`).limit(windowRows + 1)
    return rows.length > windowRows ? undefined : rows.map(({ id }) => id)
  }

  return {
    /** Replaces the text of a row. */
    write: async (tx: Tx, id: string, terms: readonly string[]): Promise<void> => {
      await writeRaw(
        tx,
        `insert into ${table} (${idColumn}, text) values (?, ?) on conflict (${idColumn}) do update set text = excluded.text`,
        [id, textOfTerms(terms)],
      )
    },
    /** The number of rows with the words, exact up to 10,000; `filter` joins the table of the rows by `t`, with further conditions. */
    total: async (db: Db, words: readonly string[], filter?: (query: Knex.QueryBuilder) => void): Promise<Total> => {
      if (words.length === 0) return { count: 0, isExact: true }
      const query = find(db, words, conditionsOf(db, words, 'whole'))
      filter?.(query)
      return totalOf(db, query, undefined)
    },
    /**
     * A page of a window with the words. The next thousand rows are read first: if many rows match, they fill the page. If few match,
     * trigrams find them.
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
      const walked = await readWindow(db, {
        ...window,
        rest: (query) => {
          joinOne(query, db, { table, as: 't', key: idColumn, of: `c.${window.columns[1]}` })
          apply(query, conditions)
          ask(query)
        },
      })
      if (walked.rows.length === window.limit || walked.lookedTo === undefined) return walked
      const ids = await idsOf(db, words, conditions)
      if (ids === undefined) return walked
      if (ids.length === 0) return { rows: [], lookedTo: undefined }
      const { sql, encode } = listParameter(db)
      // At most the thousand that a page reads.
      const rows = await readCandidates(db, {
        ...window,
        where: (query) => {
          where?.(query)
          query.whereRaw(`x.${window.columns[1]} ${sql}`, [encode(ids) as Knex.RawBinding])
        },
        rest: ask,
      })
      return { rows, lookedTo: undefined }
    },
  }
}
