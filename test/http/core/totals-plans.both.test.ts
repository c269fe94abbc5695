/** Lists say how many rows they have, to who asks: exact up to 10,000, then about. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { userColumns } from '../../support/people.ts'
import { fill } from '../../support/plans.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
  await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const users = async (query: object) => (await admin.api.users.adminListUsers({ query: { limit: 1, ...query } })).total

test('a total is said where it is asked for, and follows search and filters', async () => {
  expect(await users({})).toBeNull()
  expect(await users({ total: 'true' })).toEqual({ count: 2, isExact: true })
  expect(await users({ total: 'true', role: 'admin' })).toEqual({ count: 1, isExact: true })
  expect(await users({ total: 'true', search: 'ann' })).toEqual({ count: 1, isExact: true })
  expect(await users({ total: 'true', search: 'xamp' })).toEqual({ count: 2, isExact: true })
  expect(await users({ total: 'true', search: 'xamp', role: 'admin' })).toEqual({ count: 1, isExact: true })
  for (const search of ['zzz', '%']) expect(await users({ total: 'true', search })).toEqual({ count: 0, isExact: true })
  expect((await admin.api.allOrganizations.adminListOrganizations({ query: { total: 'true' } })).total).toEqual({
    ...{ count: 0, isExact: true },
  })
  expect((await admin.api.applications.listApplications({ query: { total: 'true', type: 'web' } })).total).toEqual({
    ...{ count: 0, isExact: true },
  })
})

test('beyond 10,000 rows a total is about right, and of a filter at least so many', async () => {
  await fill(t, 'user', 10_500, userColumns('many'))
  await t.app.core.db.knex.raw('analyze')
  const whole = await users({ total: 'true' })
  expect(whole?.isExact).toBe(false)
  expect(Math.abs((whole?.count ?? 0) - 10_502)).toBeLessThan(500)
  expect(await users({ total: 'true', verified: 'false' })).toEqual({ count: 10_000, isExact: false })
  await fill(t, 'user_search_text', 10_500, { user_id: userColumns('many')['id'] ?? '', text: "'  many  ' || n.n" })
  expect(await users({ total: 'true', search: 'any' })).toEqual({ count: 10_000, isExact: false })
  expect(await users({ total: 'true', search: '0499' })).toEqual({ count: 1, isExact: true })
}, 60_000)
