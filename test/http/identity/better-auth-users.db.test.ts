/** The calls list-users, get-user and update-user with the unchanged official admin client. */
import { createAuthClient } from 'better-auth/client'
import { adminClient } from 'better-auth/client/plugins'
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin', 'root@staff.example')
  for (const [name, email] of [
    ['Ann Lee', 'ann@acme.test'],
    ['Bob Lee', 'bob@acme.test'],
    ['Carol', 'carol.ann@other.test'],
  ] as const) {
    t.clock.advance({ seconds: 5 })
    await t.signedIn(email, name)
  }
  await t.verify('ann@acme.test')
})
afterAll(() => t.stop())

const clientOf = (client: Client) =>
  createAuthClient({
    baseURL: t.url,
    plugins: [adminClient()],
    fetchOptions: { customFetchImpl: (url, init) => client.fetch(url, init) },
  })
type Query = Parameters<ReturnType<typeof clientOf>['admin']['listUsers']>[0]['query']
const list = async (query: Query) => {
  const { data, error } = await clientOf(admin).admin.listUsers({ query })
  return { names: data?.users.map(({ name }) => name), total: data?.total, error: error?.code }
}

test('the official client lists users by offset, sorted, with their total', async () => {
  expect(await list({})).toMatchObject({ names: ['admin', 'Ann Lee', 'Bob Lee', 'Carol'], total: 4 })
  expect(await list({ limit: 2, offset: 1, sortBy: 'name', sortDirection: 'desc' })).toMatchObject({
    names: ['Carol', 'Bob Lee'],
    total: 4,
  })
  const { data } = await clientOf(admin).admin.listUsers({ query: { limit: 2, offset: 1 } })
  expect(data).toMatchObject({ limit: 2, offset: 1 })
})

test('the official client searches a field from the beginnings of words', async () => {
  expect(await list({ searchValue: 'lee', searchField: 'name', sortBy: 'name' })).toMatchObject({
    names: ['Ann Lee', 'Bob Lee'],
    total: 2,
  })
  expect(await list({ searchValue: 'ann' })).toMatchObject({ names: ['Ann Lee', 'Carol'], total: 2 })
  expect(await list({ searchValue: 'ann', searchOperator: 'starts_with' })).toMatchObject({ names: ['Ann Lee'], total: 1 })
  expect(await list({ searchValue: 'acme.test', searchOperator: 'ends_with', limit: 1, offset: 1 })).toMatchObject({
    names: ['Bob Lee'],
    total: 2,
  })
  expect(await list({ searchValue: 'ann', filterField: 'emailVerified', filterValue: true })).toMatchObject({
    names: ['Ann Lee'],
  })
  expect(await list({ searchValue: 'ee', searchField: 'name' })).toMatchObject({ names: [], total: 0 })
})

test('the official client filters by role, ban, verification, id, address and time', async () => {
  const { id } = await t.app.users.require(t.app.core.db, 'bob@acme.test')
  expect(await list({ filterField: 'role', filterValue: 'admin' })).toMatchObject({ names: ['admin'], total: 1 })
  expect(await list({ filterField: 'role', filterValue: 'user', sortBy: 'name' })).toMatchObject({
    names: ['Ann Lee', 'Bob Lee', 'Carol'],
    total: 3,
  })
  expect(await list({ filterField: 'banned', filterValue: true })).toMatchObject({ names: [], total: 0 })
  expect(await list({ filterField: 'emailVerified', filterValue: true, filterOperator: 'ne' })).toMatchObject({ total: 3 })
  expect(await list({ filterField: 'id', filterValue: id })).toMatchObject({ names: ['Bob Lee'], total: 1 })
  expect(await list({ filterField: 'email', filterValue: 'BOB@acme.test' })).toMatchObject({ names: ['Bob Lee'] })
  expect(await list({ filterField: 'id', filterValue: 'nobody' })).toMatchObject({ names: [], total: 0 })
  const { createdAt } = await t.app.users.require(t.app.core.db, 'bob@acme.test')
  const at = createdAt.toISOString()
  const created = async (filterOperator: 'lt' | 'lte' | 'gt' | 'gte') =>
    (await list({ filterField: 'createdAt', filterValue: at, filterOperator, sortBy: 'name' })).names
  expect(await created('lt')).toEqual(['Ann Lee', 'admin'])
  expect(await created('lte')).toEqual(['Ann Lee', 'Bob Lee', 'admin'])
  expect(await created('gt')).toEqual(['Carol'])
  expect(await created('gte')).toEqual(['Bob Lee', 'Carol'])
})

test('a query that no index can answer is refused', async () => {
  const wrong: readonly Query[] = [
    { sortBy: 'image' },
    { filterField: 'name', filterValue: 'Ann' },
    { filterField: 'role', filterValue: 'admin', filterOperator: 'ne' },
    { filterField: 'banned', filterValue: 'maybe' },
    { filterField: 'createdAt', filterValue: 'yesterday', filterOperator: 'gt' },
    { offset: 10_001 },
    { limit: 1001 },
  ]
  for (const query of wrong) expect((await list(query)).error, JSON.stringify(query)).toBe('VALIDATION_ERROR')
})

test('the official client reads and changes a user', async () => {
  const client = clientOf(admin)
  const { id } = await t.app.users.require(t.app.core.db, 'carol.ann@other.test')
  expect((await client.admin.getUser({ query: { id } })).data).toMatchObject({ id, name: 'Carol', banned: false })
  const changed = await client.admin.updateUser({ userId: id, data: { name: 'Caroline' } })
  expect(changed.data).toMatchObject({ id, name: 'Caroline' })
  expect((await client.admin.getUser({ query: { id: 'nobody' } })).error).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' })
  expect((await client.admin.updateUser({ userId: 'nobody', data: { name: 'X' } })).error).toMatchObject({
    status: 404,
    code: 'USER_NOT_FOUND',
  })
  expect((await client.admin.updateUser({ userId: id, data: {} })).error?.code).toBe('NO_DATA_TO_UPDATE')
  const stranger = clientOf(await t.signedIn('plain@other.test'))
  expect((await stranger.admin.listUsers({ query: {} })).error?.status).toBe(403)
  expect((await clientOf(t.client()).admin.listUsers({ query: {} })).error?.status).toBe(401)
})

testOnBoth('every page among many users uses an index, and the total is not counted for each page', async () => {
  await t.app.jobs.stop()
  const { total: before = 0 } = await list({})
  await fill(t, 'user', 12_000, {
    ...{
      id: "'many' || n.n",
      name: "'Many ' || n.n",
      email: "'many' || n.n || '@many.test'",
      email_version: '0',
      role: "'user'",
    },
    ...{ created_at: secondsIn2026, updated_at: secondsIn2026 },
    ...(dialect === 'sqlite'
      ? { email_verified: '0', email_ever_verified: '0' }
      : { email_verified: 'false', email_ever_verified: 'false' }),
  })
  await list({})
  const options = { tables: ['user'], maxRows: 12_500, sorts: dialect === 'sqlite' }
  // Plans of searches are tested in user-list.db.test.ts, which uses the same query.
  for (const query of [
    {},
    { sortBy: 'name', sortDirection: 'desc' as const, limit: 10 },
    { sortBy: 'email', offset: 500, limit: 10 },
    { filterField: 'role', filterValue: 'admin', sortBy: 'name' },
    { filterField: 'emailVerified', filterValue: 'true' },
    { filterField: 'banned', filterValue: 'true' },
  ])
    expect(await planFaults(t, options, () => list(query)), JSON.stringify(query)).toEqual([])
  expect((await list({})).total).toBe(before + 12_000)
  expect((await list({ filterField: 'emailVerified', filterValue: 'false', sortBy: 'name' })).error).toBe('VALIDATION_ERROR')
  expect((await list({ filterField: 'emailVerified', filterValue: 'false', limit: 1 })).total).toBe(before - 1 + 12_000)
})
