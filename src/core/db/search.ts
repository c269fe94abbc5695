import { readableAddresses } from '../idna.ts'
import { type Db, type Tx, writeRaw } from './database.ts'
import { searchTexts } from './search-text.ts'

/** Longest word that is stored and searched. Complete addresses have no limit. */
const longestWord = 64
/** Number of words of a text that are stored. A long name is found by its first words. */
const mostWords = 16
/** Number of words of a search that are used. */
const mostAsked = 5

/** The last code point. After a prefix, it sorts behind every text with that prefix, because terms are compared byte by byte. */
const last = '\u{10ffff}'

/** Lower case, without accents and different spellings of the same character: `jose` finds `José`. */
export const normalized = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** The words of a text: runs of letters and digits. */
const wordsOf = (text: string): readonly string[] =>
  [...new Set(normalized(text).split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== '').map((word) => word.slice(0, longestWord))

/** The terms of a name: its words. */
export const termsOfName = (name: string): readonly string[] => wordsOf(name).slice(0, mostWords)

/** The terms of the name of an application, key or customer: its words, and the parts that contain an `@`. */
export const termsOfTitle = (name: string): readonly string[] => [
  ...termsOfName(name),
  ...askedTerms(name).filter((word) => word.includes('@')),
]

/** The terms of an address: the address itself, its domain after an `@`, and the words of both parts, in the stored and in the readable form. */
export const termsOfEmail = (email: string): readonly string[] =>
  [...new Set([email, readableAddresses(email)])].flatMap((text) => [
    text,
    text.slice(text.lastIndexOf('@')),
    ...wordsOf(text).slice(0, mostWords),
  ])

/** The words of a search, all of which have to be found: words, and addresses or domains with an `@`. Empty for an empty search. */
export const askedTerms = (text: string): readonly string[] => {
  const parts = text.trim().normalize('NFC').toLowerCase().split(/\s+/)
  const asked = parts.flatMap((part) => (part.includes('@') ? [part] : wordsOf(part)))
  // If another word begins with this one, this one excludes no further rows.
  const unique = [...new Set(asked)].filter((word, i, all) => !all.some((other, j) => j !== i && other.startsWith(word)))
  return unique.slice(0, mostAsked)
}

/**
 * Writes and finds the terms of the rows of a table `name`. They are in another table, which has a row for each pair of term and row id,
 * and unique indexes in both orders. `searchTexts` also finds parts of terms.
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

  /** The range of the terms that begin with the word. */
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
    /** The words, the rarest one first. Up to a thousand terms are counted for each. */
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
    /** The candidates of a search: terms that begin with its rarest word. A condition on the table of terms, `x`. */
    beginsWith: (word: string) => range('x.term', word),
    /**
     * Further conditions on the candidates, `c`. No earlier term of the row begins with the rarest word, so that each row is found once.
     * Other terms of the row begin with the other words. Terms are counted, because PostgreSQL counts for each candidate; with `exists`
     * it would join the whole table.
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
