/** Lists return their number of rows on request: exact up to 10,000, approximate beyond. */
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { userColumns } from '../../support/people.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import { operator } from '../organizations/people.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
  await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const users = async (query: object) => (await admin.api.users.adminListUsers({ query: { limit: 1, ...query } })).total

test('a list returns its total on request, and the total follows search and filters', async () => {
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

/** Administration lists with a total, with the field of their rows. */
const lists = [
  ...['/admin/sessions', '/admin/sign-ins/failures', '/admin/tasks', '/admin/mails', '/admin/events', '/admin/invitations'],
  ...['/admin/api-keys', '/admin/apis', '/admin/initial-access-tokens', '/admin/backups', '/admin/billing/deliveries'],
  ...['/admin/users', '/admin/organizations', '/admin/clients', '/admin/billing/customers', '/admin/settings/history'],
  ...['/admin/billing/seats', '/admin/billing/overdue-renewals', '/admin/grants', '/admin/logout-notices'],
]
const totalOf = async (path: string, query: Readonly<Record<string, string>> = {}) => {
  const { status, json, text } = await admin.request(`${path}?${new URLSearchParams({ limit: '1', ...query, total: 'true' })}`)
  expect(status, text).toBe(200)
  return json['total']
}

test('every paged list of the console returns its total, exact while the list is short', async () => {
  for (const path of lists) {
    const total = await totalOf(path)
    expect(total, path).toMatchObject({ isExact: expect.any(Boolean), count: expect.any(Number) })
    expect((await admin.request(`${path}?limit=1`)).json['total'], path).toBeNull()
  }
  expect(await totalOf('/admin/sessions')).toEqual({ count: 2, isExact: true })
  expect(await totalOf('/admin/events', { type: 'user.created' })).toEqual({ count: 2, isExact: true })
  expect(await totalOf('/admin/events', { type: 'user.created', actorKind: 'application' })).toEqual({ count: 0, isExact: true })
})

test('lists inside of an organization and of a person return their total', async () => {
  const { id, ownerId } = await t.app.organizations.createFor(operator, { name: 'Acme', slug: 'acme' }, 'ann@example.com', true)
  const { json: team } = await admin.post(`/admin/organizations/${id}/teams`, { name: 'Sales' })
  const inside = ['members', 'teams', 'invitations'].map((name) => `/admin/organizations/${id}/${name}`)
  const ofPerson = ['organizations', 'consents', 'sessions'].map((name) => `/admin/users/${ownerId}/${name}`)
  const counts: Record<string, unknown> = {}
  for (const path of [...inside, `/admin/organizations/${id}/teams/${team['id']}/members`, ...ofPerson]) {
    counts[path.split('/').at(-1) ?? ''] = await totalOf(path)
    expect((await admin.request(`${path}?limit=1`)).json['total'], path).toBeNull()
  }
  const exactly = (count: number) => ({ count, isExact: true })
  expect(counts).toEqual({
    ...{ members: exactly(0), teams: exactly(2), invitations: exactly(0) },
    ...{ organizations: exactly(1), consents: exactly(0), sessions: exactly(1) },
  })
  expect(await totalOf(`/admin/organizations/${id}/members`)).toEqual(exactly(1))
  expect(await totalOf(`/admin/organizations/${id}/members`, { role: 'nobody' })).toEqual(exactly(0))
  await admin.api.allOrganizations.adminDeleteOrganization({ params: { id } })
})

testOnBoth(
  'a total beyond 10,000 rows is approximate, and the total of a filtered list is a minimum',
  { timeout: 60_000 },
  async () => {
    await fill(t, 'user', 10_500, userColumns('many'))
    await t.app.core.db.knex.raw('analyze')
    const whole = await users({ total: 'true' })
    expect(whole?.isExact).toBe(false)
    expect(Math.abs((whole?.count ?? 0) - 10_502)).toBeLessThan(500)
    expect(await users({ total: 'true', verified: 'false' })).toEqual({ count: 10_000, isExact: false })
    await fill(t, 'user_search_text', 10_500, { user_id: userColumns('many')['id'] ?? '', text: "'  many  ' || n.n" })
    expect(await users({ total: 'true', search: 'any' })).toEqual({ count: 10_000, isExact: false })
    expect(await users({ total: 'true', search: '0499' })).toEqual({ count: 1, isExact: true })
  },
)

testOnBoth('counting the total of a long list reads at most 10,001 rows, whatever the filter', { timeout: 120_000 }, async () => {
  const many = 25_000
  const { knex } = t.app.core.db
  const yes = dialect === 'sqlite' ? '1' : 'true'
  const { id: user } = await knex('user').where({ email: 'ann@example.com' }).first('id')
  await fill(t, 'event', many, {
    ...{
      id: "'e' || n.n",
      type: "case when n.n % 100 = 0 then 'user.banned' else 'user.updated' end",
      occurred_at: secondsIn2026,
    },
    ...{ actor_kind: "'user'", actor_id: `'${user}'`, subject_type: "'user'", subject_id: `'${user}'`, address: "'192.0.2.1'" },
    ...{ user_agent: "''", request_id: "'r1'", data: "'{}'", position: 'n.n + 1000000' },
  })
  await fill(t, 'session', many, {
    ...{ id: "'s' || n.n", token_hash: "'h' || n.n", user_id: `'${user}'`, user_agent: "'x'", amr: "'[]'", acr: "'a'" },
    ...{
      proofs: "'[]'",
      remember_me: yes,
      ip_address: "'192.0.2.' || (n.n % 2)",
      created_at: secondsIn2026,
      updated_at: secondsIn2026,
    },
    expires_at: dialect === 'sqlite' ? '4102444800000' : "timestamptz '2100-01-01'",
  })
  await fill(t, 'task', many, {
    ...{
      id: "'t' || n.n",
      kind: "'often'",
      status: "case when n.n % 100 = 0 then 'dead' else 'done' end",
      attempts: '0',
      payload: "'{}'",
    },
    ...{ due_at: secondsIn2026, created_at: secondsIn2026, expires_at: secondsIn2026 },
  })
  await knex.raw('analyze')
  const about = (value: unknown) => value as { readonly count: number; readonly isExact: boolean }
  for (const path of ['/admin/events', '/admin/sessions', '/admin/tasks']) {
    const total = about(await totalOf(path))
    expect(total.isExact, path).toBe(false)
    expect(Math.abs(total.count - many), path).toBeLessThan(1_500)
  }
  expect(await totalOf('/admin/events', { type: 'user.banned' })).toEqual({ count: 250, isExact: true })
  expect(await totalOf('/admin/tasks', { status: 'dead' })).toEqual({ count: 250, isExact: true })
  // The total of a long filtered list is a minimum: the matches among the rows that are read.
  expect(about(await totalOf('/admin/events', { subject: user, type: 'user.banned' }))).toMatchObject({ isExact: false })
  const plan = { tables: ['event', 'session', 'task'], maxRows: 10_600, sorts: true }
  for (const [path, query] of [
    ['/admin/events', { type: 'user.updated' }],
    ['/admin/events', { subject: user, type: 'user.banned' }],
    ['/admin/sessions', { userId: user }],
    ['/admin/tasks', { kind: 'often' }],
  ] as const)
    expect(await planFaults(t, plan, () => totalOf(path, query)), path).toEqual([])
})
