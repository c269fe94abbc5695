import { readableAddresses } from '../idna.ts'
import { type Db, type Tx, writeRaw } from './database.ts'
import { searchTexts } from './search-text.ts'

/** Longest word that is kept and looked for; of an address as a whole all. */
const longestWord = 64
/** Words of one text that are kept: a name of a hundred words is found by its first. */
const mostWords = 16
/** Words of a search that count. */
const mostAsked = 5

/** The last code point: sorts behind every text that begins with the prefix before it. Terms are compared byte by byte. */
const last = '\u{10ffff}'

/** Lower case, without accents and without differences of form: `José` is found by `jose`. */
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

/** The terms of the name of an application, a key or a customer: its words, and the parts with an `@`. */
export const termsOfTitle = (name: string): readonly string[] => [
  ...termsOfName(name),
  ...askedTerms(name).filter((word) => word.includes('@')),
]

/** The terms of an address: itself, its domain behind an `@`, and the words of both parts; in the stored form and as people write it. */
export const termsOfEmail = (email: string): readonly string[] =>
  [...new Set([email, readableAddresses(email)])].flatMap((text) => [
    text,
    text.slice(text.lastIndexOf('@')),
    ...wordsOf(text).slice(0, mostWords),
  ])

/**
 * What a search asks for: all of these must be in terms. Words, or with an `@` an address or a domain as it is written. Empty:
 * there is nothing to look for.
 */
export const askedTerms = (text: string): readonly string[] => {
  const parts = text.trim().normalize('NFC').toLowerCase().split(/\s+/)
  const asked = parts.flatMap((part) => (part.includes('@') ? [part] : wordsOf(part)))
  // A word that begins another one asks for nothing more.
  const unique = [...new Set(asked)].filter((word, i, all) => !all.some((other, j) => j !== i && other.startsWith(word)))
  return unique.slice(0, mostAsked)
}

/**
 * Terms of the rows of a table `name`, in a table of their own: `term` and the id of the row, together unique, with an index in either order. As texts,
 * the same terms are found inside (`searchTexts`).
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

  /** Both ends of the terms that begin with the word. */
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
    /** The words with the one first that the fewest terms begin with, as far as a thousand of each tell. */
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
    /** The candidates of a search: terms that begin with the rarest of its words. A condition on `x`, the table of terms. */
    beginsWith: (word: string) => range('x.term', word),
    /**
     * What else must hold of a candidate: no earlier term of the same row begins with the word, so that every row is found once, and terms of it
     * begin with the other words. Conditions on `c`, the candidates; terms are counted because PostgreSQL asks that of each candidate by itself,
     * and would join `exists` with the whole table.
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
