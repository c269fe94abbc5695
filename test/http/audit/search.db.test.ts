import { afterAll, beforeAll, expect } from 'vitest'
import type { Audit, EventQuery } from '../../../src/audit/service.ts'
import { searchEvents } from '../../../src/core/events/search.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { statementsOf } from '../../support/statements.ts'
import { type EventFields, eventRow, insertEvents, withRole } from './people.ts'

const begin = new Date('2026-01-01T00:00:00Z')
const total = 6_000

/** Properties of event number `n`: every filter matches some events that the other filters do not. */
const fieldsOf = (n: number): EventFields => ({
  type: ['user.created', 'user.updated', 'session.started', 'keys.rotated'][n % 4] ?? '',
  actor_kind: n % 50 === 0 ? 'system' : 'user',
  actor_id: n % 50 === 0 ? null : `a${n % 7}`,
  session_id: n % 50 === 0 ? null : `s${n % 11}`,
  impersonator_id: n % 13 === 0 ? 'i1' : null,
  subject_id: `u${n % 5}`,
  organization_id: n % 3 === 0 ? 'o1' : null,
  address: `192.0.2.${n % 9}`,
  request_id: `r${n % 17}`,
  reason: n % 4 === 1 ? `Ticket ${n % 12}` : null,
})

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  await t.app.jobs.stop()
  admin = await withRole(t, 'admin')
  await t.app.core.db.knex('event').delete()
  await insertEvents(
    t,
    Array.from({ length: total }, (_, n) => eventRow(n, begin, fieldsOf(n))),
  )
  await t.app.core.db.knex.raw('analyze')
}, 60_000)
afterAll(() => t.stop())

const filters: Required<{ readonly [K in Exclude<keyof EventQuery, 'since' | 'until'>]: string }> = {
  type: 'user.updated',
  subject: 'u1',
  actor: 'a3',
  actorKind: 'user',
  impersonator: 'i1',
  session: 's5',
  organization: 'o1',
  address: '192.0.2.4',
  request: 'r3',
  reason: 'Ticket 1',
}
const names = Object.keys(filters) as (keyof typeof filters)[]

const column = {
  ...{ type: 'type', subject: 'subject_id', actor: 'actor_id', actorKind: 'actor_kind', impersonator: 'impersonator_id' },
  ...{ session: 'session_id', organization: 'organization_id', address: 'address', request: 'request_id', reason: 'reason' },
} as const

/** Numbers of the matching events, newest first, computed without the database. */
const expected = (query: Readonly<Record<string, string>>): string[] =>
  Array.from({ length: total }, (_, n) => eventRow(n, begin, fieldsOf(n)))
    .filter((row) =>
      Object.entries(query).every(([name, value]) => {
        const own = String(row[column[name as keyof typeof column] as keyof typeof row])
        return value.endsWith('.*') ? own.startsWith(value.slice(0, -1)) : own === value
      }),
    )
    .map(({ id }) => id)
    .reverse()

interface Page {
  readonly events: readonly { readonly id: string; readonly type: string }[]
  readonly next: string | null
}
const get = async (client: Client, query: Readonly<Record<string, string>>) => {
  const { status, json } = await client.request(`/admin/events?${new URLSearchParams(query)}`)
  return { status, json: json as unknown as Page & { readonly code?: string } }
}
/** All pages of a list, in order. */
const getAll = async (query: Readonly<Record<string, string>>, limit = 100): Promise<string[]> => {
  const ids: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const { json } = await get(admin, { ...query, limit: String(limit), ...(after === undefined ? {} : { after }) })
    ids.push(...json.events.map(({ id }) => id))
    after = json.next
  }
  return ids
}

describe('GET /admin/events', () => {
  test('each filter alone finds exactly its events over all pages, newest first', async () => {
    for (const name of names) {
      const query = { [name]: filters[name] }
      const wanted = expected(query)
      expect(wanted.length, name).toBeGreaterThan(100)
      expect(await getAll(query), name).toEqual(wanted)
    }
  }, 120_000)

  test('several filters together find the events that match all filters, even if a page ends before it is full', async () => {
    for (const query of [
      { subject: 'u1', type: 'user.updated' },
      { organization: 'o1', actor: 'a3' },
      { actorKind: 'system', type: 'user.created' },
      { address: '192.0.2.4', session: 's5', type: 'user.*' },
      { actorKind: 'user', organization: 'o1', impersonator: 'i1' },
      filters,
    ])
      expect(await getAll(query), JSON.stringify(query)).toEqual(expected(query))
  }, 60_000)

  test('an event type prefix finds all types that begin with it, in the order of time', async () => {
    expect(await getAll({ type: 'user.*' })).toEqual(expected({ type: 'user.*' }))
    expect(await getAll({ type: 'user.*', actorKind: 'system' })).toEqual(expected({ type: 'user.*', actorKind: 'system' }))
    expect(await getAll({ type: 'nothing.*' })).toEqual([])
  }, 60_000)

  test('a time range of events includes its start, excludes its end, and works in both orders', async () => {
    const range = { since: '2026-01-01T00:10:00Z', until: '2026-01-01T00:10:05.000Z' }
    const ids = [600, 601, 602, 603, 604].map((n) => eventRow(n, begin).id)
    expect(await getAll({ ...range, order: 'asc' }, 2)).toEqual(ids)
    expect(await getAll({ ...range }, 2)).toEqual(ids.toReversed())
    expect(await getAll({ ...range, subject: 'u1' })).toEqual([eventRow(601, begin).id])
    expect((await get(admin, { since: '2026-01-02' })).json.events).toEqual([])
  })

  test('an event recorded between two pages causes no repeated and no missing event', async () => {
    const first = await get(admin, { subject: 'u2', limit: '2' })
    await insertEvents(t, [eventRow(total + 1, begin, { subject_id: 'u2' })])
    const second = await get(admin, { subject: 'u2', limit: '2', after: first.json.next ?? '' })
    expect([...first.json.events, ...second.json.events].map(({ id }) => id)).toEqual(expected({ subject: 'u2' }).slice(0, 4))
    await t.app.core.db
      .knex('event')
      .where({ id: eventRow(total + 1, begin).id })
      .delete()
  })

  test('an event has all its fields in the list and when read by its id, and an unknown id is refused', async () => {
    const [shown] = (await get(admin, { limit: '1' })).json.events
    expect(shown).toEqual({
      ...{ id: eventRow(total - 1, begin).id, type: 'keys.rotated', occurredAt: '2026-01-01T01:39:59.000Z', actorKind: 'user' },
      ...{
        actorId: 'a0',
        sessionId: 's4',
        impersonatorId: null,
        reason: null,
        subjectType: 'note',
        subjectId: 'u4',
        organizationId: null,
      },
      ...{ address: '192.0.2.5', userAgent: 'a browser', requestId: 'r15', data: {}, position: null, hash: null },
      ...{ actor: { kind: 'user', id: 'a0', name: null }, subject: { kind: 'note', id: 'u4', name: null } },
      ...{ impersonator: null, organization: null, mentions: [] },
    })
    const alone = await admin.request(`/admin/events/${shown?.id}`)
    expect([alone.status, alone.json]).toEqual([200, shown])
    expect(await admin.request('/admin/events/none')).toMatchObject({ status: 404, json: { code: 'EVENT_NOT_FOUND' } })
  })

  test('auditors and support can read the events, and no other role can', async () => {
    for (const role of ['auditor', 'support']) expect((await get(await withRole(t, role), {})).status).toBe(200)
    expect((await get(await t.signedIn('user@audit.example'), {})).json.code).toBe('FORBIDDEN')
    expect((await get(t.client(), {})).json.code).toBe('UNAUTHORIZED')
    await t.app.core.db.knex('event').where('id', 'not like', 'e%').delete()
  })

  test('an invalid type, time or kind in an event filter is refused, and the error names the filter', async () => {
    for (const wrong of [
      { type: 'user' },
      { type: '*' },
      { since: 'yesterday' },
      { until: '2026-13-01' },
      { actorKind: 'A B' },
      { actorKind: 'robot' },
    ]) {
      const { status, json } = await get(admin, wrong)
      expect([status, json.code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(JSON.stringify(json)).toContain(Object.keys(wrong)[0])
    }
  })
})

/** The query plans of the statements that the work runs. */
const plansOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  const { knex } = t.app.core.db
  const asked = await statementsOf(t, work)
  const onPostgres = t.app.database.dialect === 'postgres'
  return knex.transaction(async (trx) => {
    // With so few rows a scan is as fast. The plan only shows that an index in the order of the page exists.
    if (onPostgres) for (const other of ['seqscan', 'bitmapscan', 'sort']) await trx.raw(`set local enable_${other} = off`)
    const plans: string[] = []
    for (const { sql, bindings } of asked) {
      const text = onPostgres ? sql.replaceAll(/\$\d+/g, '?') : sql
      const result = await trx.raw(`explain ${onPostgres ? '' : 'query plan '}${text}`, [...bindings] as never)
      const lines: Record<string, unknown>[] = onPostgres ? result.rows : result
      plans.push(lines.map((line) => String(line['QUERY PLAN'] ?? line['detail'])).join('\n'))
    }
    return plans
  })
}

/** All subsets of the filters. On PostgreSQL, `npm test` leaves out those of three to nine filters. */
const combinations = Array.from({ length: 2 ** names.length }, (_, bits) =>
  names.filter((_name, n) => (bits & (2 ** n)) !== 0),
).filter(
  ({ length }) => dialect === 'sqlite' || process.env['GATEHOUSE_TEST_FULL'] === '1' || length <= 2 || length === names.length,
)

testOnBoth(
  'every combination of event filters is read from an index in its order, and no combination scans the table',
  async () => {
    const searches: readonly Parameters<Audit['list']>[0][] = combinations.flatMap((set) => {
      const query = Object.fromEntries(set.map((name) => [name, filters[name]]))
      return [query, { ...query, since: begin, until: new Date(begin.getTime() + 3_000_000) }]
    })
    for (const query of searches) {
      const plans = await plansOf(() => t.app.audit.list(query, 5))
      expect(plans.length, JSON.stringify(query)).toBeGreaterThan(0)
      for (const plan of plans) {
        expect(plan, JSON.stringify(query)).toMatch(/event_\w+_index/)
        expect(plan, JSON.stringify(query)).not.toMatch(/SCAN event(?! USING)|Seq Scan on event/)
      }
    }
  },
  240_000,
)

test('a page of events ends after reading 2000 events when only one of its filters has an index', async () => {
  const { db } = t.app.core
  const filter = { organizationId: 'o1', requestId: undefined, address: 'none' }
  // The index of the address is used, and no event matches, so one page is enough.
  expect(await searchEvents(db, filter, { order: 'desc', limit: 10 })).toEqual({ events: [], next: undefined })
  const rare = { types: ['user.created', 'session.started'], actorKind: 'application' }
  const found = await searchEvents(db, rare, { order: 'desc', limit: 10 })
  expect(found).toEqual({ events: [], next: undefined })
  const users = { actorKind: 'user' } as const
  await db.knex('event').where('id', '>=', eventRow(3_000, begin).id).update({ actor_kind: 'system' })
  const first = await searchEvents(db, users, { order: 'desc', limit: 10 })
  expect(first).toMatchObject({ events: [], next: { id: eventRow(4_000, begin).id } })
  expect((await t.app.audit.list(users, 10)).map(({ id }) => id)).toEqual(
    [2_999, 2_998, 2_997, 2_996, 2_995, 2_994, 2_993, 2_992, 2_991, 2_990].map((n) => eventRow(n, begin).id),
  )
})
