/** The results of searches, compared with `includes`, for names in any script. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askedTerms, termsOfEmail, termsOfName } from '../../src/core/db/search.ts'
import { searchUsers } from '../../src/identity/users/administration/store.ts'
import { insertUser, updateUser, users, userTerms } from '../../src/identity/users/store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { dialect } from '../support/database.ts'
import { at, userRow } from '../support/rows.ts'
import { runs } from '../support/runs.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

/** A few letters of several scripts, with marks and signs, so that names have common parts. */
const letters = [
  'a',
  'b',
  'c',
  'A',
  'é',
  'e',
  'ß',
  'İ',
  'ж',
  'Ж',
  '漢',
  '字',
  '한',
  '𝔸',
  '𠮷',
  '😀',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '*',
  '-',
  ' ',
  '1',
]
const name = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 24 }).map((all) => all.join(''))
const part = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 6 }).map((all) => all.join(''))
const local = fc.stringMatching(/^[abc]{1,8}$/)

type Filter = Parameters<typeof searchUsers>[2]

/** Every page of a search, in order. */
const pagesOf = async (words: readonly string[], filter: Omit<Filter, 'now'> = {}): Promise<readonly (readonly string[])[]> => {
  const pages: string[][] = []
  for (let after: Parameters<typeof searchUsers>[3]['after']; ; ) {
    const { found, lookedTo } = await searchUsers(t.app.core.db, words, { now: at, ...filter }, { limit: 5, after })
    pages.push(found.map(({ row }) => row.id))
    const next = found.length === 5 ? found.at(-1)?.position : lookedTo
    if (next === undefined) return pages
    after = next
  }
}
const search = async (words: readonly string[], filter?: Omit<Filter, 'now'>) => (await pagesOf(words, filter)).flat()

/** Words of three or more characters are found inside terms, shorter ones only at their beginnings. */
const isFound = (terms: readonly string[], words: readonly string[]) =>
  words.length > 0 &&
  words.every((word) => terms.some((term) => ([...word].length < 3 ? term.startsWith(word) : term.includes(word))))
const isBegun = (terms: readonly string[], words: readonly string[]) =>
  words.every((word) => terms.some((term) => term.startsWith(word)))

/** Adds people with one text each, numbered from `from`. */
const addPeople = async (prefix: string, count: number, from: number, text: string): Promise<void> => {
  const { knex } = t.app.core.db
  const people = Array.from({ length: count }, (_, i) =>
    userRow(`${prefix}${i}`, { name: 'q', createdAt: new Date(at.getTime() + 1_000 + i) }),
  )
  await knex.batchInsert('user', people.map(users.encode), 100)
  const texts = people.map(({ id }, i) => ({ number: from + i, user_id: id, text }))
  await knex.batchInsert('user_search_text', texts, 100)
}

/** A block of PostgreSQL's index covers 32,768 numbers. The people of a test lie in several blocks. */
const numberApart = 18_000
const behindAll = 10_000_000

test.for([
  ['the newest rows', false],
  ['trigrams', true],
] as const)(
  'a search by %s finds exactly the people whose terms include its words, each person once and in order',
  { timeout: 300_000 },
  async ([, isAmongMany]) => {
    const { knex } = t.app.core.db
    // The newest people, whom no search finds. A page that has read a thousand of them uses the trigrams.
    if (isAmongMany) await addPeople('q', 1_100, behindAll, '  q')
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name, renamed: fc.option(name, { nil: undefined }), local }), { minLength: 1, maxLength: 8 }),
        fc.array(part, { minLength: 1, maxLength: 6 }),
        async (people, parts) => {
          run += 1
          await knex('user').where('id', 'like', 'u%').delete()
          const rows = people.map((person, i) => ({
            ...userRow(`u${i}`, { name: person.name, createdAt: new Date(at.getTime() + (i % 3)) }),
            email: `${person.local}.${i}@example.com`,
          }))
          await t.app.core.transact(async (tx) => {
            for (const row of rows) await insertUser(tx, row)
            for (const i of people.keys())
              await tx
                .knex('user_search_text')
                .where({ user_id: `u${i}` })
                .update({ number: (i + 1) * numberApart })
            for (const [i, { renamed }] of people.entries())
              if (renamed !== undefined) await updateUser(tx, `u${i}`, { name: renamed }, at)
          })
          const all = people.map((person, i) => ({
            id: `u${i}`,
            time: i % 3,
            terms: [...termsOfName(person.renamed ?? person.name), ...termsOfEmail(rows[i]?.email ?? '')],
          }))
          const own = people.flatMap((person) => [
            person.name.slice(1, 5),
            person.renamed?.slice(2, 6) ?? '',
            person.local.slice(1),
          ])
          for (const text of [...parts, ...own, 'xampl', 'ample.c', 'le com', '@exa', 'a@exa']) {
            const words = askedTerms(text)
            const said = JSON.stringify({ text, run })
            const expected = all.filter(({ terms }) => isFound(terms, words))
            const newestFirst = expected.filter(({ terms }) => !isBegun(terms, words)).reverse()
            const begun = expected.length - newestFirst.length
            const found = await search(words)
            expect([...found].sort(), said).toEqual(expected.map(({ id }) => id))
            expect(found.slice(begun), said).toEqual(newestFirst.map(({ id }) => id))
            const byTime = newestFirst.toSorted((a, b) => b.time - a.time)
            expect((await search(words, { banned: false })).slice(begun), said).toEqual(byTime.map(({ id }) => id))
            expect(await userTerms.texts.total(t.app.core.db, words), said).toEqual({ count: expected.length, isExact: true })
          }
        },
      ),
      { numRuns: Math.ceil(runs * 0.6) },
    )
    await knex('user').where('id', 'like', 'u%').orWhere('id', 'like', 'q%').delete()
  },
)

test('every page of a search but the last is full, however many rows have the same text', async () => {
  await addPeople('m', 1_203, 1, '  xwanted')
  await addPeople('q', 1_100, behindAll, '  q')
  const pages = await pagesOf(['wanted'])
  expect(pages.map(({ length }) => length)).toEqual([...Array.from({ length: 240 }, () => 5), 3])
  expect(pages.flat()).toEqual(Array.from({ length: 1_203 }, (_, i) => `m${1_202 - i}`))
  await t.app.core.db.knex('user').where('id', 'like', 'm%').orWhere('id', 'like', 'q%').delete()
})

test('a page of a search reads at most a thousand texts that have the right trigrams without the search text, and the next page continues after them', async () => {
  await addPeople('u', 1, 1, '  xabcbcax')
  await addPeople('d', 2_500, 10, '  xbcabc')
  const pages = await pagesOf(['abcbca'])
  expect(pages.flat()).toEqual(['u0'])
  expect(pages.length).toBeLessThanOrEqual(4)
  expect(pages.length).toBeGreaterThanOrEqual(2)
  await t.app.core.db.knex('user').where('id', 'like', 'u%').orWhere('id', 'like', 'd%').delete()
  // Throws if the index differs from the texts.
  if (dialect === 'sqlite')
    await t.app.core.db.knex.raw("insert into user_search_trigrams (user_search_trigrams, rank) values ('integrity-check', 1)")
})
