/** What a search finds, compared with `includes`, over names in any script. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askedTerms, termsOfEmail, termsOfName } from '../../src/core/db/search.ts'
import { searchUsers } from '../../src/identity/users/administration/store.ts'
import { insertUser, updateUser, users } from '../../src/identity/users/store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { dialect } from '../support/database.ts'
import { at, userRow } from '../support/rows.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

/** Few letters of several scripts, with marks and signs, so that names share parts. */
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

/** Every page of a search, behind one another. */
const found = async (words: readonly string[]): Promise<readonly string[]> => {
  const ids: string[] = []
  for (let after: Parameters<typeof searchUsers>[3]['after']; ; ) {
    const { found: rows, lookedTo } = await searchUsers(t.app.core.db, words, { now: at }, { limit: 5, after })
    ids.push(...rows.map(({ row }) => row.id))
    const next = rows.length === 5 ? rows.at(-1)?.position : lookedTo
    if (next === undefined) return ids
    after = next
  }
}

/** Words of three characters and more are found inside of terms, shorter ones at their beginnings. */
const isFound = (terms: readonly string[], words: readonly string[]) =>
  words.length > 0 &&
  words.every((word) => terms.some((term) => ([...word].length < 3 ? term.startsWith(word) : term.includes(word))))

/** The newest people, whom no search finds: a page that has looked at a thousand of them asks the trigrams. */
const addOthers = async () => {
  const { knex } = t.app.core.db
  const others = Array.from({ length: 1_100 }, (_, i) =>
    userRow(`q${i}`, { name: 'q', createdAt: new Date(at.getTime() + 1_000 + i) }),
  )
  await knex.batchInsert('user', others.map(users.encode), 100)
  await knex.batchInsert(
    'user_search_text',
    others.map(({ id }) => ({ user_id: id, text: '  q' })),
    100,
  )
}

test.for([
  ['the next rows of the list', false],
  ['trigrams', true],
] as const)(
  'a search by %s finds exactly the people whose terms include its words, each of them once',
  { timeout: 300_000 },
  async ([, isAmongMany]) => {
    if (isAmongMany) await addOthers()
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name, renamed: fc.option(name, { nil: undefined }), local }), { minLength: 1, maxLength: 8 }),
        fc.array(part, { minLength: 1, maxLength: 6 }),
        async (people, parts) => {
          run += 1
          await t.app.core.db.knex('user').where('id', 'like', 'u%').delete()
          const rows = people.map((person, i) => ({
            ...userRow(`u${i}`, { name: person.name, createdAt: new Date(at.getTime() + (i % 3)) }),
            email: `${person.local}.${i}@example.com`,
          }))
          await t.app.core.transact(async (tx) => {
            for (const row of rows) await insertUser(tx, row)
            for (const [i, { renamed }] of people.entries())
              if (renamed !== undefined) await updateUser(tx, `u${i}`, { name: renamed }, at)
          })
          const terms = people.map((person, i) => [
            ...termsOfName(person.renamed ?? person.name),
            ...termsOfEmail(rows[i]?.email ?? ''),
          ])
          const own = people.flatMap((person) => [
            person.name.slice(1, 5),
            person.renamed?.slice(2, 6) ?? '',
            person.local.slice(1),
          ])
          for (const text of [...parts, ...own, 'xampl', 'ample.c', 'le com', '@exa', 'a@exa']) {
            const words = askedTerms(text)
            const expected = terms.flatMap((all, i) => (isFound(all, words) ? [`u${i}`] : []))
            expect([...(await found(words))].sort(), JSON.stringify({ text, run })).toEqual(expected)
          }
        },
      ),
      { numRuns: 15 },
    )
    // Throws where the index has something else than the texts.
    if (dialect === 'sqlite')
      await t.app.core.db.knex.raw("insert into user_search_trigrams (user_search_trigrams, rank) values ('integrity-check', 1)")
  },
)
