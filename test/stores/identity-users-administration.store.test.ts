import * as administration from '../../src/identity/users/administration/store.ts'
import { insertUser, type UserRow } from '../../src/identity/users/store.ts'
import { at, user as sample, userRow } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const now = time(100)
const user = (id: string, name: string, changes: Partial<UserRow> = {}) => userRow(id, { name, ...changes })
const people: readonly UserRow[] = [
  user('1', 'Ada', { role: 'admin,support', createdAt: time(1) }),
  user('2', 'ada', { role: 'Admin', bannedAt: at }),
  user('3', 'Ödön Ada', { bannedAt: at, banExpiresAt: now, emailVerified: false }),
  user('4', 'Z%_!x', { bannedAt: at, banExpiresAt: time(101), secondFactorSince: at, email: 'ada@4.example.org' }),
  user('5', 'Adam', { secondFactorDue: now, role: 'my_role', createdAt: time(2) }),
  user('6', '', { secondFactorDue: time(101), username: 'adaline', role: 'my-role' }),
]
const filters: readonly Omit<administration.UserFilter, 'now'>[] = [
  {},
  { role: 'admin' },
  { role: 'Admin' },
  { role: 'my_role' },
  { role: 'user' },
  { role: 'unknown' },
  { verified: true },
  { verified: false, banned: false },
  { banned: true },
  { banned: false },
  { secondFactor: 'on' },
  { secondFactor: 'required' },
  { secondFactor: 'overdue' },
  { createdSince: time(1), createdUntil: time(2) },
  { createdSince: time(1), role: 'admin', verified: true, banned: false },
]
const sorts = ['createdAt', 'name', 'email'] as const

compareStore('identity/users/administration/store', administration, async ({ store, db, transact }) => {
  await transact(async (tx) => {
    for (const row of people) await insertUser(tx, row)
  })
  for (const filter of filters.map((one) => ({ ...one, now }))) {
    for (const sort of sorts) {
      await store.totalOfUsers(db, filter)
      await store.pageOfUsers(db, filter, { sort, order: 'asc', limit: 10, after: undefined })
      const { found } = await store.pageOfUsers(db, filter, { sort, order: 'desc', limit: 2, after: undefined })
      await store.pageOfUsers(db, filter, { sort, order: 'desc', limit: 2, after: found.at(-1)?.position })
      await store.listByOffset(db, filter, { sort, order: 'desc', limit: 2, offset: 1 })
    }
    await store.countUsers(db, filter, null)
    await store.countUsers(db, filter, 2)
    await store.searchUsers(db, ['ada'], filter, { limit: 10, after: undefined })
  }
  const searched = ['odon', 'ödön', 'ADA', '%', '_', 'ada@', '@example.com', '@4.example.org', 'unknown']
  for (const word of searched) await store.searchUsers(db, [word], { now }, { limit: 10, after: undefined })
  await store.searchUsers(db, [], { now }, { limit: 10, after: undefined })
  await store.searchUsers(db, ['ada', 'od'], { now }, { limit: 10, after: undefined })
  const { found } = await store.searchUsers(db, ['a'], { now }, { limit: 2, after: undefined })
  await store.searchUsers(db, ['a'], { now }, { limit: 2, after: found.at(-1)?.position })

  // People whom a page of a thousand candidates does not reach.
  const many = Array.from({ length: 1_000 }, (_, i) => `${i}`.padStart(4, '0'))
  const created = { role: 'user', created_at: at, updated_at: at }
  const others = many.map((i) => ({ ...sample, ...created, id: `many-${i}`, email: `m${i}@example.com` }))
  await db.knex.batchInsert('user', others, 100)
  await db.knex.batchInsert(
    'user_search',
    many.map((i) => ({ term: `m${i}`, user_id: `many-${i}` })),
    100,
  )
  await db.knex.batchInsert(
    'user_search_text',
    many.map((i) => ({ text: `  m${i}`, user_id: `many-${i}` })),
    100,
  )
  await transact((tx) => insertUser(tx, user('z', 'mz', { bannedAt: at })))
  const ofBanned = { now, banned: true, verified: true }
  const looked = await store.searchUsers(db, ['m'], ofBanned, { limit: 2, after: undefined })
  await store.searchUsers(db, ['m'], ofBanned, { limit: 2, after: looked.lookedTo })
  const cursor = { sort: 'email', order: 'asc', limit: 10, after: undefined } as const
  const page = await store.pageOfUsers(db, { now, secondFactor: 'on' }, { ...cursor, order: 'desc' })
  await store.pageOfUsers(db, { now, secondFactor: 'on' }, { ...cursor, order: 'desc', after: page.lookedTo })

  // Texts inside words: frequent ones, rare ones, rare ones with a filter, and one without a match.
  await db.knex('user_search_text').where('user_id', 'like', 'many-%').update({ text: '  emmanuel' })
  const inside = await store.searchUsers(db, ['manu'], { now }, { limit: 3, after: undefined })
  await store.searchUsers(db, ['manu'], { now }, { limit: 3, after: inside.found.at(-1)?.position })
  await store.searchUsers(db, ['manu', 'mm'], { now, banned: true }, { limit: 3, after: undefined })
  for (const words of [['dal'], ['dal', 'xam'], ['xampl'], ['%'], ['zzz'], ['"a"'], ['dön', 'ad']])
    for (const filter of [{ now }, { now, banned: true }, { now, role: 'admin' }])
      await store.searchUsers(db, words, filter, { limit: 3, after: undefined })
})
