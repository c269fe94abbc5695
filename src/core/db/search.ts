import { readableAddresses } from '../idna.ts'
import { type Db, type Tx, writeRaw } from './database.ts'
import { searchTexts } from './search-text.ts'

/** Longest word that is stored and searched. An email address is stored as a whole, whatever its length is. */
const longestWord = 64
/** Number of words of a text that are stored. So a long name is found only by its first words. */
const mostWords = 16
/** Number of words that a search uses. It ignores further words. */
const mostAsked = 5

/**
 * The last Unicode code point. A prefix followed by it sorts after every text that begins with the prefix, because terms are compared
 * byte by byte.
 */
const last = '\u{10ffff}'

/** Text in lower case, without accents, and with one spelling for each character. So a search for `jose` finds `José`. */
export const normalized = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** The words of a text: runs of letters and digits. */
const wordsOf = (text: string): readonly string[] =>
  [...new Set(normalized(text).split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== '').map((word) => word.slice(0, longestWord))

/** The terms of a name are its words. */
export const termsOfName = (name: string): readonly string[] => wordsOf(name).slice(0, mostWords)

/** The terms of the name of an application, key or customer: its words, and those parts of the name that contain an `@`. */
export const termsOfTitle = (name: string): readonly string[] => [
  ...termsOfName(name),
  ...askedTerms(name).filter((word) => word.includes('@')),
]

/**
 * The terms of an email address: the address itself, its domain after an `@`, and the words of both of its parts. Two forms of the
 * address are used: the stored one, and the one that people read.
 */
export const termsOfEmail = (email: string): readonly string[] =>
  [...new Set([email, readableAddresses(email)])].flatMap((text) => [
    text,
    text.slice(text.lastIndexOf('@')),
    ...wordsOf(text).slice(0, mostWords),
  ])

/** The terms that a search has to find, all of them: words, and parts that contain an `@`. Empty for an empty search. */
export const askedTerms = (text: string): readonly string[] => {
  const parts = text.trim().normalize('NFC').toLowerCase().split(/\s+/)
  const asked = parts.flatMap((part) => (part.includes('@') ? [part] : wordsOf(part)))
  // A word is left out if another word of the search begins with it, because then it excludes no further rows.
  const unique = [...new Set(asked)].filter((word, i, all) => !all.some((other, j) => j !== i && other.startsWith(word)))
  return unique.slice(0, mostAsked)
}

/**
 * Stores and finds the terms of the rows of the table `name`. The terms are in a second table, which has one row for each pair of term
 * and row id. It has unique indexes in both orders. This table finds only the beginnings of terms; `searchTexts` also finds parts inside
 * of them.
 */
export const searchTerms = (name: string) => {
  const tableName = `${name}_search`
  const idColumn = `${name}_id`
  const texts = searchTexts(name)
  const insertTerms = async (tx: Tx, id: string, terms: readonly string[]): Promise<void> => {
    const unique = [...new Set(terms)]
    if (unique.length === 0) return
    const rows = unique.map(() => '(?, ?)').join(', ')
    await writeRaw(
      tx,
      `insert into ${tableName} (term, ${idColumn}) values ${rows}`,
      unique.flatMap((term) => [term, id]),
    )
  }

  /** A condition that is true for terms that begin with the word. */
  const range = (column: string, word: string): readonly [sql: string, values: readonly string[]] => [
    `${column} >= ? and ${column} < ?`,
    [word, `${word}${last}`],
  ]

  return {
    texts,
    insert: async (tx: Tx, id: string, terms: readonly string[]): Promise<void> => {
      await texts.insert(tx, id, terms)
      await insertTerms(tx, id, terms)
    },
    replace: async (tx: Tx, id: string, terms: readonly string[]): Promise<void> => {
      await tx
        .knex(tableName)
        .where({ [idColumn]: id })
        .delete()
      await texts.replace(tx, id, terms)
      await insertTerms(tx, id, terms)
    },
    /** Sorts the words of a search, the rarest first. For each word, at most a thousand terms are counted. */
    rarestFirst: async (db: Db, words: readonly string[]): Promise<readonly string[]> => {
      if (words.length < 2) return words
      const counted = await Promise.all(
        words.map(async (word) => {
          const some = db
            .knex(tableName)
            .whereRaw(...range('term', word))
            .limit(1_000)
            .select(db.knex.raw('1 as one'))
          const [row] = await db.knex.from(some.as('some')).count({ count: '*' })
          return { word, count: Number(row?.['count']) }
        }),
      )
      return counted.sort((a, b) => a.count - b.count).map(({ word }) => word)
    },
    /**
     * A condition on the table of terms (alias `x`): the term begins with `word`. The rows that meet it for the rarest word are the
     * candidates of a search.
     */
    beginsWith: (word: string) => range('x.term', word),
    /**
     * Further conditions on the candidates (alias `c`). First: no smaller term of the same row begins with the rarest word, so that each
     * row is found only once. Second: other terms of the row begin with the other words. The SQL uses `count`, because PostgreSQL
     * evaluates it for each candidate. With `exists`, PostgreSQL would join the whole table.
     */
    rest: ([first = '', ...others]: readonly string[]): readonly (readonly [sql: string, values: readonly string[]])[] => {
      const isOf = (alias: string) => `${alias}.${idColumn} = c.${idColumn}`
      const isFirst = `(select count(*) from ${tableName} e where ${isOf('e')} and e.term >= ? and e.term < c.term) = 0`
      return [
        [isFirst, [first]],
        ...others.map((word): readonly [string, readonly string[]] => {
          const [sql, values] = range('o.term', word)
          return [`(select count(*) from ${tableName} o where ${isOf('o')} and ${sql}) > 0`, values]
        }),
      ]
    },
  }
}
