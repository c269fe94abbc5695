/**
 * Every list of administration, with every filter and in every order, uses an index on both databases, and so does the work that the
 * daemon does by itself.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { planFaults } from '../../support/plans.ts'
import { fillLists } from './list-plans.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  // The snapshot of every customer contains the rule's product, and there is no row of this product.
  t = await testApp({ config: { billing: { entitlements: [{ name: 'many', product: 'k', plan: 'many' }] } } })
  admin = await signedInAs(t, 'admin')
  await fillLists(t)
}, 120_000)
afterAll(() => t.stop())

/** Values of each filter that are read in different ways: common ones, rare ones, and one that no row has. */
type Filters = Readonly<Record<string, readonly string[]>>
const created = { createdSince: ['2026-01-01T00:10:00Z'], createdUntil: ['2026-01-01T00:20:00Z'] }
const address = ['192.0.2.7', '203.0.113.1']

/** A new filter needs its values here. The first test names lists with a missing filter. */
const lists: Readonly<Record<string, Filters>> = {
  '/admin/users': {
    ...{
      search: ['many', 'u77@many.test', 'u5 many', 'nobody', 'any', '577@man', 'any 5997', 'obody'],
      role: ['user', 'auditor'],
    },
    ...{ verified: ['true', 'false'], banned: ['true', 'false'], ...created },
    secondFactor: ['on', 'required', 'overdue'],
  },
  '/admin/users/:id/sessions': {},
  '/admin/users/:id/organizations': {},
  '/admin/users/:userId/consents': {},
  '/admin/sessions': { userId: ['u1', 'u2'], ipAddress: address },
  '/admin/sign-ins/failures': {
    ...{
      userId: ['u1', 'u2'],
      address,
      clientId: ['c1', 'c2'],
      reason: ['wrong-password', 'unknown-address'],
      method: ['password', 'mail'],
      provider: ['acme'],
    },
    ...{ since: ['2026-01-01T00:10:00Z'], until: ['2026-01-01T00:20:00Z'] },
  },
  '/admin/organizations': { search: ['many', 'o77', 'nobody', 'any', '577', 'obody'], ...created },
  '/admin/organizations/:id/members': { role: ['member', 'owner'] },
  '/admin/organizations/:id/teams': {},
  '/admin/organizations/:id/teams/:teamId/members': {},
  '/admin/organizations/:id/invitations': { status: ['canceled', 'accepted', 'pending', 'expired'] },
  '/admin/invitations': {
    ...{ id: ['i7', 'none'], email: ['i7@many.test', 'none@many.test'], organizationId: ['o1', 'o2'], inviterId: ['u1', 'u2'] },
    status: ['canceled', 'accepted', 'pending', 'expired'],
  },
  '/admin/clients': {
    search: ['many', 'many 59', 'none', 'any', '599', 'an 5999'],
    type: ['web', 'spa', 'machine'],
    disabled: ['true', 'false'],
  },
  '/admin/initial-access-tokens': {},
  '/admin/logout-notices': { userId: ['u1', 'u2'], clientId: ['c1', 'c2'] },
  '/admin/apis': {},
  '/admin/grants': { userId: ['u7'], clientId: ['c1', 'c2'] },
  '/admin/mails': {
    ...{ state: ['pending', 'sent', 'failed'], kind: ['notice', 'greeting'], address: ['7@many.test', 'none@many.test'] },
    ...created,
  },
  '/admin/tasks': { kind: ['often', 'none'], status: ['pending', 'running', 'done', 'dead'], ...created },
  '/admin/events': {
    ...{ type: ['session.started', 'user.created', 'user.*', 'none.such'], subject: ['u1', 'u2'], actor: ['u1', 'u2'] },
    ...{ since: ['2026-01-01T00:10:00Z'], until: ['2026-01-01T00:20:00Z'], actorKind: ['user', 'system', 'application'] },
    ...{ impersonator: ['u2', 'u1'], session: ['s1', 's2'], organization: ['o1', 'o2'], address, request: ['r1', 'r2'] },
    ...{ reason: ['Ticket 1', 'none'] },
  },
  '/admin/events/exports': {},
  '/admin/api-keys': {
    search: ['many', 'any', '599', 'none'],
    ownerKind: ['user', 'organization', 'instance'],
    userId: ['u1', 'u2'],
    organizationId: ['o1'],
  },
  '/admin/settings/history': {},
  '/admin/backups': { status: ['deleted', 'failed', 'running'] },
  '/admin/billing/customers': {
    ...{
      search: ['many', 'any', 'k599@', '999@m', 'none'],
      email: ['k1@many.test', 'none@many.test'],
      externalId: ['x1', 'none'],
      unlinked: ['true', 'false'],
    },
    ...{ payment: ['active', 'past_due'], currency: ['eur', 'usd'], plan: ['many', 'none'], entitlement: ['many', 'none'] },
  },
  '/admin/billing/deliveries': {
    ...{ customerId: ['k1', 'none'], type: ['order.paid', 'order.refunded', 'none'] },
    ...{ verdict: ['accepted', 'quarantined', 'removed'], endpoint: ['polar', 'none'], since: ['2026-01-01T00:10:00Z'] },
  },
  '/admin/billing/overdue-renewals': {},
  '/admin/billing/drift': {},
  '/admin/billing/seats': { state: ['free', 'over'] },
}
/** Tables counted or read for each row of a page, with at most as many rows as a configured limit allows. */
const bounded: Readonly<Record<string, readonly string[]>> = {
  '/admin/organizations': ['member'],
  '/admin/organizations/:id/teams': ['team_member'],
}

/** Statements that sort the owners of the rows of one page, at most two for each row. */
const sorting: ReadonlySet<string> = new Set(['/admin/billing/drift'])

const tables = [
  ...['user', 'user_search', 'user_search_text', 'session', 'organization', 'organization_search', 'organization_search_text'],
  ...['member', 'member_role', 'invitation'],
  ...['team', 'team_member'],
  ...[
    'oauth_client',
    'oauth_client_search_text',
    'api_key_search_text',
    'oauth_consent',
    'initial_access_token',
    'logout_notice',
    'task',
    'event',
    'event_export',
    'api_key',
    'backup',
  ],
  ...[
    'billing_delivery',
    'billing_customer',
    'billing_customer_search_text',
    'billing_link',
    'sign_in_failure',
    'setting_version',
    'setting_change',
  ],
]

const shapeOf = (schema: unknown): Readonly<Record<string, z.ZodType>> =>
  (schema as { readonly shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {}
const sortsOf = (path: string): readonly string[] => {
  const sort = shapeOf(
    t.app.routes.find(({ endpoint: { method, path: its } }) => method === 'GET' && its === path)?.endpoint.query,
  )['sort']
  return (sort as { def?: { innerType?: { options?: readonly string[] } } } | undefined)?.def?.innerType?.options ?? []
}
const ofPages = new Set(['sort', 'order', 'limit', 'after', 'total'])

test('every administration list is in the table of this test, with all filters of the list', () => {
  const found = t.app.routes.flatMap(({ endpoint: { method, path, query } }) => {
    const names = Object.keys(shapeOf(query))
    return method === 'GET' && path.startsWith('/admin/') && names.includes('after')
      ? [[path, names.filter((name) => !ofPages.has(name)).sort()]]
      : []
  })
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(lists).map(([path, filters]) => [path, Object.keys(filters).sort()])),
  )
})

type Query = Readonly<Record<string, string>>

/** No filter and each value of each filter in every order, and the first values of two filters together in the default order. */
const queriesOf = (path: string, filters: Filters): readonly Query[] => {
  const single: readonly Query[] = Object.entries(filters).flatMap(([name, values]) => values.map((value) => ({ [name]: value })))
  const names = Object.keys(filters)
  const pairs = names.flatMap((one, i) =>
    names.slice(i + 1).map((other): Query => ({ [one]: filters[one]?.[0] ?? '', [other]: filters[other]?.[0] ?? '' })),
  )
  const orders = sortsOf(path).flatMap((sort) => ['asc', 'desc'].map((order): Query => ({ sort, order })))
  return [...pairs, ...[{}, ...single].flatMap((query) => [query, ...orders.map((order) => ({ ...query, ...order }))])]
}

test.for(Object.entries(lists))(
  'each filter and order of %s uses an index, on the first page and later pages',
  { timeout: 240_000 },
  async ([path, filters]) => {
    const filled = path
      .replace(':teamId', 'team1')
      .replace('/users/:id', '/users/u1')
      .replace(':userId', 'u1')
      .replace(':id', 'o1')
    const without = bounded[path] ?? []
    const options = {
      tables: tables.filter((table) => !without.includes(table)),
      maxRows: 4_500,
      sorts: sorting.has(path) || ('windows' as const),
    }
    for (const query of queriesOf(path, filters)) {
      const shown = new Set<string>()
      for (let [after, pages]: [string | undefined, number] = [undefined, 0]; pages < 2; pages += 1) {
        const address: string = `${filled}?${new URLSearchParams({ ...query, limit: '10', ...(after === undefined ? {} : { after }) })}`
        let answer: Awaited<ReturnType<typeof admin.request>> | undefined
        const faults = await planFaults(t, options, async () => {
          answer = await admin.request(address)
        })
        // A search has its own order, and a time range that of the time.
        const isRefused = answer?.status === 400 && 'sort' in query && JSON.stringify(answer.json).includes('"path":"sort"')
        if (isRefused) break
        expect(answer?.status, address).toBe(200)
        expect(faults, address).toEqual([])
        const rows = Object.values(answer?.json ?? {}).flatMap((value): unknown[] => (Array.isArray(value) ? value : []))
        for (const row of rows.map((one) => JSON.stringify(one))) expect(shown.has(row), `${address} repeats ${row}`).toBe(false)
        for (const row of rows) shown.add(JSON.stringify(row))
        const next: unknown = answer?.json['next']
        if (typeof next !== 'string') break
        after = next
      }
    }
  },
)

test('the checks of doctor read few rows, however many rows there are', async () => {
  const faults = await planFaults(t, { tables, maxRows: 4_500, sorts: 'windows' }, async () => {
    expect((await admin.request('/admin/health')).status).toBe(200)
  })
  // Tables with few rows, even in a large instance.
  expect(faults.filter((fault) => !/from `(signing_key|applied_object)`/.test(fault))).toEqual([])
})

/** Tables that the work of the daemon must not read as a whole. */
const tablesOfWork = [
  ...['user', 'session', 'organization', 'member', 'invitation', 'oauth_client', 'oauth_consent', 'task', 'event'],
  ...['billing_delivery', 'billing_customer', 'sign_in_failure', 'api_key', 'backup'],
]
/** Tables that are small even in a large instance: keys, declarations, the chain's one row, and unsealed events. */
const few = /from `(signing_key|applied_object)`|from event_chain |where position is null order by|`position` is not null limit/

/** The last test of the file, because this work deletes rows. */
test('jobs and periodic tasks use an index of each table that grows', { timeout: 240_000 }, async () => {
  const { signal } = new AbortController()
  const one = { id: 'periodic', key: null, payload: {}, createdAt: new Date(), attempt: 1, signal }
  const work = t.app.registered.flatMap(({ jobs = [], tasks = [] }) => [
    ...jobs.map(({ name, run }) => ({ name, run: () => run(signal) })),
    ...tasks
      .filter(({ everySeconds }) => everySeconds !== undefined)
      .map(({ kind, handle }) => ({ name: kind, run: () => handle(one) })),
  ])
  const found: Record<string, readonly string[]> = {}
  for (const { name, run } of work) {
    const faults = await planFaults(t, { tables: tablesOfWork, sorts: 'windows', mayReadNothing: true }, run)
    const ofLarge = faults.filter((fault) => !few.test(fault))
    if (ofLarge.length > 0) found[name] = ofLarge
  }
  expect(found).toEqual({})
})
