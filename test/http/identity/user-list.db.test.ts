import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'

let t: TestApp
let admin: Client
const people: readonly (readonly [email: string, name: string, role?: string])[] = [
  ['ann.lee@mail.acme.test', 'Ann Lee'],
  ['bob@acme.test', 'José Álvarez'],
  ['carol@other.test', 'Carol Ann Smith', 'support'],
  ['dan@other.test', 'Dan Leeds', 'auditor,support'],
  ['eve@other.test', 'Anna Ånström'],
]

beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
  t.clock.hold()
  for (const [email, name, role] of people) {
    t.clock.advance({ seconds: 10 })
    await t.app.core.transact((tx) =>
      t.app.users.create(tx, systemPrincipal('test'), {
        ...{ email, name, emailVerified: email.startsWith('a') },
        ...(role === undefined ? {} : { role }),
      }),
    )
  }
})
afterAll(() => t.stop())

type Query = NonNullable<NonNullable<Parameters<typeof admin.api.users.adminListUsers>[0]>['query']>
const namesOf = async (query: Query) => (await admin.api.users.adminListUsers({ query })).users.map(({ name }) => name)
const refusedBy = (query: Query): Promise<{ code?: string; issues?: { path: string }[] }> =>
  admin.api.users.adminListUsers({ query }).then(
    () => ({}),
    (error) => error,
  )

describe('the list of users', () => {
  test('the list of users is sorted newest first, or by the requested sort and order, page by page', async () => {
    expect(await namesOf({ limit: 2 })).toEqual(['Anna Ånström', 'Dan Leeds'])
    for (const sort of ['createdAt', 'name', 'email'] as const) {
      const all: string[] = []
      let after: string | undefined
      do {
        const page = await admin.api.users.adminListUsers({ query: { sort, order: 'asc', limit: 2, after } })
        all.push(...page.users.map((user) => user[sort].toString()))
        after = page.next ?? undefined
      } while (after !== undefined)
      expect(all).toHaveLength(people.length + 1)
      const sorted = sort === 'createdAt' ? [...all].sort((a, b) => Date.parse(a) - Date.parse(b)) : [...all].sort()
      expect(all).toEqual(sorted)
    }
  })

  test('the list of users filters by role, by verified email address, and by time, and finds a role among several', async () => {
    expect(await namesOf({ role: 'support' })).toEqual(['Dan Leeds', 'Carol Ann Smith'])
    expect(await namesOf({ role: 'support', sort: 'name', order: 'asc' })).toEqual(['Carol Ann Smith', 'Dan Leeds'])
    expect(await namesOf({ role: 'support', sort: 'email', order: 'desc' })).toEqual(['Dan Leeds', 'Carol Ann Smith'])
    expect(await namesOf({ role: 'auditor' })).toEqual(['Dan Leeds'])
    expect(await namesOf({ role: 'aud%' })).toEqual([])
    expect(await namesOf({ role: 'user', sort: 'name', order: 'asc' })).toEqual(['Ann Lee', 'Anna Ånström', 'José Álvarez'])
    expect(await namesOf({ verified: 'true' })).toEqual(['Ann Lee'])
    expect(await namesOf({ verified: 'true', sort: 'name' })).toEqual(['Ann Lee'])
    expect(await namesOf({ role: 'support', verified: 'true' })).toEqual([])
    const { users } = await admin.api.users.adminListUsers({ query: { sort: 'createdAt', order: 'asc' } })
    const [since, until] = [users[2]?.createdAt, users[4]?.createdAt].map((at) => at?.toISOString())
    expect(await namesOf({ createdSince: since, createdUntil: until, order: 'asc' })).toEqual(['José Álvarez', 'Carol Ann Smith'])
  })

  test('the list of users filters by present bans', async () => {
    const { id } = await t.app.users.require(t.app.core.db, 'eve@other.test')
    const ban = (expiresAt: Date | null) =>
      t.app.core.transact((tx) => t.app.users.ban(tx, systemPrincipal('test'), id, { reason: 'Spam', expiresAt }))
    await ban(null)
    const { users } = await admin.api.users.adminListUsers({ query: { banned: 'true' } })
    expect(users).toMatchObject([{ email: 'eve@other.test', banned: true, banReason: 'Spam', banExpires: null }])
    for (const sort of ['name', 'email'] as const) expect(await namesOf({ banned: 'true', sort })).toEqual(['Anna Ånström'])
    expect(await namesOf({ banned: 'true', search: 'anna' })).toEqual(['Anna Ånström'])
    expect(await namesOf({ banned: 'false', order: 'asc', limit: 1 })).toEqual(['admin'])
    expect(await namesOf({ banned: 'false' })).not.toContain('Anna Ånström')
    await ban(t.app.core.clock.after(60))
    t.clock.advance({ minutes: 2 })
    expect(await namesOf({ banned: 'true' })).toEqual([])
    expect(await namesOf({ banned: 'false' })).toContain('Anna Ånström')
  })

  test('a search finds all words of name and email address without accents and case, and each user once', async () => {
    expect((await namesOf({ search: 'ANN' })).sort()).toEqual(['Ann Lee', 'Anna Ånström', 'Carol Ann Smith'])
    expect(await namesOf({ search: 'ann lee' })).toEqual(['Ann Lee'])
    expect((await namesOf({ search: 'lee' })).sort()).toEqual(['Ann Lee', 'Dan Leeds'])
    expect(await namesOf({ search: 'jose alv' })).toEqual(['José Álvarez'])
    expect(await namesOf({ search: 'anstr' })).toEqual(['Anna Ånström'])
    expect((await namesOf({ search: 'acme' })).sort()).toEqual(['Ann Lee', 'José Álvarez'])
    expect(await namesOf({ search: 'bob@acme.test' })).toEqual(['José Álvarez'])
    expect(await namesOf({ search: 'ann.lee@mail' })).toEqual(['Ann Lee'])
    expect((await namesOf({ search: '@other' })).sort()).toEqual(['Anna Ånström', 'Carol Ann Smith', 'Dan Leeds'])
    expect(await namesOf({ search: 'smith', role: 'support' })).toEqual(['Carol Ann Smith'])
    expect(await namesOf({ search: '%' })).toEqual([])
    expect(await namesOf({ search: '\u{10ffff}' })).toEqual([])
  })

  test('a user search finds text inside of words, and words of one or two letters only at beginnings', async () => {
    expect(await namesOf({ search: 'mith' })).toEqual(['Carol Ann Smith'])
    expect(await namesOf({ search: 'MITH aro' })).toEqual(['Carol Ann Smith'])
    expect(await namesOf({ search: 'lvárez' })).toEqual(['José Álvarez'])
    expect((await namesOf({ search: 'ther.test' })).sort()).toEqual(['Anna Ånström', 'Carol Ann Smith', 'Dan Leeds'])
    expect((await namesOf({ search: 'cme.test' })).sort()).toEqual(['Ann Lee', 'José Álvarez'])
    expect(await namesOf({ search: 'ob@acme' })).toEqual(['José Álvarez'])
    expect(await namesOf({ search: 'eed' })).toEqual(['Dan Leeds'])
    expect(await namesOf({ search: 'eed', role: 'user' })).toEqual([])
    for (const search of ['mi', 'it', 'sm%th', 'smi th']) expect(await namesOf({ search })).toEqual([])
  })

  test('a user search over several pages shows every match once', async () => {
    const found: string[] = []
    let after: string | undefined
    do {
      const page = await admin.api.users.adminListUsers({ query: { search: 'ann', limit: 1, after } })
      found.push(...page.users.map(({ name }) => name))
      after = page.next ?? undefined
    } while (after !== undefined)
    expect(found.sort()).toEqual(['Ann Lee', 'Anna Ånström', 'Carol Ann Smith'])
  })

  test('an unknown order or cursor is refused with the name of the field', async () => {
    const page = await admin.api.users.adminListUsers({ query: { limit: 1, sort: 'name' } })
    const wrong: readonly (readonly [Query, string])[] = [
      [{ search: 'ann', sort: 'name' }, 'sort'],
      [{ createdSince: '2026-01-01T00:00:00Z', sort: 'email' }, 'sort'],
      [{ after: page.next ?? '', sort: 'email' }, 'after'],
      [{ after: btoa(JSON.stringify(['createdAt', 'desc', 'x', 'y'])), limit: 1 }, 'after'],
      [{ after: btoa(JSON.stringify(['createdAt', 'desc', 1e300, 'y'])), limit: 1 }, 'after'],
      [{ after: btoa(JSON.stringify(['name', 'desc', 5, 'y'])), sort: 'name' }, 'after'],
      [{ after: btoa(JSON.stringify(['name', 'desc', '\u0000', 'y'])), sort: 'name' }, 'after'],
      [{ limit: 101 }, 'limit'],
      [{ search: '' }, 'search'],
    ]
    for (const [query, path] of wrong) {
      const error = await refusedBy(query)
      expect([error.code, error.issues?.[0]?.path], JSON.stringify(query)).toEqual(['VALIDATION_ERROR', path])
    }
  })

  test('a user search finds a new name and a new email address at once, and no longer the former values', async () => {
    const client = await t.signedIn('fred@before.test', 'Fred Before')
    await client.post('/update-user', { name: 'Fred After' })
    expect([await namesOf({ search: 'after' }), await namesOf({ search: 'fred bef' })]).toEqual([['Fred After'], ['Fred After']])
    const { users: found } = await admin.api.users.adminListUsers({ query: { search: 'fred' } })
    await admin.api.users.adminPatchUser({ params: { id: found[0]?.id ?? '' }, body: { email: 'fred@later.test' } })
    expect([await namesOf({ search: 'before' }), await namesOf({ search: 'later' })]).toEqual([[], ['Fred After']])
    const fred = await t.app.users.require(t.app.core.db, 'fred@later.test')
    await t.app.core.transact((tx) => t.app.deletion.remove(tx, systemPrincipal('test'), fred))
    expect(await namesOf({ search: 'fred' })).toEqual([])
  })

  test('people with a word that begins with the search text come before people with the text inside a word', async () => {
    for (const name of ['Marta', 'Tamara', 'Mara']) await t.signedIn(`${name.toLowerCase()}@mail.test`, name)
    const found: string[] = []
    for (let after: string | undefined; found.length < 9; ) {
      const page = await admin.api.users.adminListUsers({ query: { search: 'mar', limit: 1, after } })
      found.push(...page.users.map(({ name }) => name))
      if (page.next === null) break
      after = page.next
    }
    expect(found).toEqual(['Mara', 'Marta', 'Tamara'])
    expect(await namesOf({ search: 'mar' })).toEqual(found)
  })
})

describeOnBoth('the list of many users', () => {
  beforeAll(async () => {
    await t.app.jobs.stop()
    const times = { created_at: secondsIn2026, updated_at: secondsIn2026 }
    await fill(t, 'user', 6_000, {
      ...{ id: "'many' || n.n", name: "'Many ' || n.n", email: "'many' || n.n || '@many.test'", email_version: '0', ...times },
      ...{ role: "case when n.n % 500 = 0 then 'auditor' else 'user' end" },
      ...(dialect === 'sqlite'
        ? { email_verified: 'n.n % 2', email_ever_verified: '0' }
        : { email_verified: 'n.n % 2 = 1', email_ever_verified: 'false' }),
    })
    await fill(t, 'user_search', 6_000, { user_id: "'many' || n.n", term: "'many'" })
    await fill(t, 'user_search', 6_000, { user_id: "'many' || n.n", term: "'x' || n.n" })
    await fill(t, 'user_search_text', 6_000, { user_id: "'many' || n.n", text: "'  many  x' || n.n" })
  })

  /** The candidates of one window, at most a thousand, may be sorted. */
  const options = { tables: ['user', 'user_search', 'user_search_text'], maxRows: 5_000, sorts: dialect === 'sqlite' }
  const queries: readonly Query[] = [
    {},
    ...(['createdAt', 'name', 'email'] as const).flatMap((sort) =>
      (['asc', 'desc'] as const).flatMap((order) => [
        { sort, order },
        { sort, order, role: 'auditor' },
        { sort, order, role: 'user' },
        { sort, order, banned: 'true' as const },
        { sort, order, verified: 'false' as const },
        { sort, order, verified: 'true' as const, role: 'support' },
      ]),
    ),
    { createdSince: '2026-01-01T00:10:00Z', createdUntil: '2026-01-01T00:20:00Z' },
    { createdSince: '2026-01-01T00:10:00Z', role: 'auditor', verified: 'true' },
    { search: 'many' },
    { search: 'many x59' },
    { search: 'many zzz' },
    { search: 'any' },
    { search: 'any 599' },
    { search: '5999' },
    { search: 'zzz' },
    { search: 'x599', role: 'auditor' },
    { search: 'many', verified: 'true' },
  ]

  testOnBoth.for(queries.map((query) => [JSON.stringify(query), query] as const))(
    'a page of %s uses an index',
    async ([, query]) => {
      expect(await planFaults(t, options, () => admin.api.users.adminListUsers({ query }))).toEqual([])
      const { next } = await admin.api.users.adminListUsers({ query: { ...query, limit: 5 } })
      if (next !== null)
        expect(await planFaults(t, options, () => admin.api.users.adminListUsers({ query: { ...query, after: next } }))).toEqual(
          [],
        )
    },
  )

  test('a page whose filter matches few users says how far it has read, and all pages together show every match', async () => {
    const found: string[] = []
    let [after, pages]: [string | undefined, number] = [undefined, 0]
    do {
      const page = await admin.api.users.adminListUsers({
        query: { sort: 'name', verified: 'true', role: 'user', limit: 100, after },
      })
      found.push(...page.users.map(({ id }) => id))
      after = page.next ?? undefined
      pages += 1
    } while (after !== undefined)
    expect(new Set(found).size).toBe(3_001)
    expect(found).toHaveLength(3_001)
    expect(pages).toBeGreaterThan(30)
  })
})
