/** Exports of events written by the queue: complete, for their owner alone, and kept for a day. */
import { afterEach, expect, vi } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { noteEvents } from '../../support/events.ts'
import { type EventFields, eventRow, insertEvents, withRole } from './people.ts'

const path = '/admin/events/exports'
const begin = new Date('2026-01-01T00:00:00Z')
let t: TestApp
afterEach(() => t.stop())

const start = async (events: Record<string, unknown> = {}) => {
  t = await testApp({ config: { events } })
}

const events = (count: number, fields: (n: number) => EventFields = () => ({})) =>
  insertEvents(
    t,
    Array.from({ length: count }, (_, n) => eventRow(n, begin, fields(n))),
  )

const asks = async (client: Client, body: Record<string, unknown> = {}): Promise<string> => {
  const answer = await client.post(path, body)
  expect([answer.status, answer.json]).toMatchObject([200, { status: 'pending', error: null, events: 0, progress: 0 }])
  return String(answer.json['id'])
}

/** Waits until an export has ended, and returns it. */
const ended = (client: Client, id: string) =>
  vi.waitFor(
    async () => {
      const { json } = await client.request(`${path}/${id}`)
      expect(['made', 'failed']).toContain(json['status'])
      return json
    },
    { timeout: 30_000, interval: 50 },
  )

const codeOf = async (client: Client, address: string, method = 'GET') => {
  const { status, json } = await client.request(address, { method, headers: { origin: t.url } })
  return [status, json['code']]
}
/** Events about the ends of exports, oldest first. */
const ends = async () =>
  (await t.app.audit.list({ type: 'events.export_ended' }, 10)).map(({ subjectId, data }) => [subjectId, data]).reverse()
const never = new AbortController().signal
const notFound = [404, 'EVENT_EXPORT_NOT_FOUND']

/** The file of an export, as a node sends it. */
const contentFrom = async (url: string, { cookies }: Client, id: string): Promise<string> => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return (await fetch(`${url}${path}/${id}/content`, { headers: { cookie } })).text()
}

/** Runs an export until its first chunk is stored, and stops it like a task of a stopping node. */
const stopsAfterOneChunk = async (id: string) => {
  const stop = new AbortController()
  const { knex } = t.app.core.db
  const onQuery = ({ sql }: { sql: string }) => {
    if (sql.includes('insert into "event_export_chunk"')) stop.abort()
  }
  knex.on('query', onQuery)
  await expect(t.app.eventExports.perform(id, stop.signal)).rejects.toThrow(/abort/i)
  knex.off('query', onQuery)
}

test('an event export contains every matching event, oldest first, and the export is recorded', async () => {
  await start()
  await t.app.jobs.stop()
  t.app.events.register({ events: noteEvents })
  const auditor = await withRole(t, 'auditor')
  await events(3_001, (n) => ({ subject_id: `u${n % 2}` }))
  const asked = { type: 'note.*', subject: 'u1', since: '2026-01-01T00:00:02Z', until: '2026-01-02' }
  const id = await asks(auditor, asked)
  await t.app.eventExports.perform(id, never)
  const made = await ended(auditor, id)
  expect(made).toMatchObject({ id, format: 'jsonl', status: 'made', progress: 100, events: 1_499, error: null })
  expect(made['filters']).toEqual({ ...asked, since: '2026-01-01T00:00:02.000Z', until: '2026-01-02T00:00:00.000Z' })
  const { status, text, headers } = await auditor.request(`${path}/${id}/content`)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="events-\d{4}-\d\d-\d\d\.jsonl"/)
  expect(Buffer.byteLength(text)).toBe(made['bytes'])
  const direct = new URLSearchParams(asked)
  expect(text).toBe((await auditor.request(`/admin/events/export?${direct}`)).text)
  expect((await auditor.request(path)).json).toEqual({ exports: [made], next: null })
  const recorded = await t.app.audit.list({ type: 'events.exported' }, 10)
  const data = { format: 'jsonl', filters: ['type', 'subject', 'since', 'until'] }
  expect(recorded.map((event) => event.data)).toEqual([data, data])
  expect(await ends()).toEqual([[id, { format: 'jsonl', status: 'made', events: 1_499 }]])
})

test('an event export as CSV makes formulas harmless, even at the borders of chunks', async () => {
  await start()
  await t.app.jobs.stop()
  const admin = await withRole(t, 'admin')
  await events(4_000, () => ({ user_agent: '=cmd|"/c calc"!A1', reason: 'x'.repeat(400) }))
  const id = await asks(admin, { format: 'csv', type: 'note.written' })
  await t.app.eventExports.perform(id, never)
  expect(await ended(admin, id)).toMatchObject({ status: 'made', format: 'csv', events: 4_000 })
  const { text, headers } = await admin.request(`${path}/${id}/content`)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(text === (await admin.request('/admin/events/export?format=csv&type=note.written')).text).toBe(true)
  expect(text.split(`,"'=cmd|""/c calc""!A1",`)).toHaveLength(4_001)
  expect(Number((await t.app.core.db.knex('event_export_chunk').count({ count: '*' }).first())?.['count'])).toBeGreaterThan(2)
})

testOnBoth('an event export that one node left unfinished is completed by another node, and any node can send it', async () => {
  await start()
  await t.app.jobs.stop()
  const admin = await withRole(t, 'admin')
  await events(6_000, () => ({ reason: 'x'.repeat(400) }))
  const id = await asks(admin, { type: 'note.written' })
  await stopsAfterOneChunk(id)
  const left = (await admin.request(`${path}/${id}`)).json
  expect(left['status']).toBe('running')
  expect(left['progress']).toBeLessThan(100)
  expect(left['events']).toBeGreaterThan(0)
  expect(left['events']).toBeLessThan(6_000)
  expect(await codeOf(admin, `${path}/${id}/content`)).toEqual([409, 'EVENT_EXPORT_NOT_MADE'])
  const node = await t.node()
  try {
    await ended(admin, id)
    const [here, there] = await Promise.all([t.url, node.url].map((url) => contentFrom(url, admin, id)))
    expect(there === here).toBe(true)
    const ids = (here ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect(ids).toEqual(Array.from({ length: 6_000 }, (_, n) => eventRow(n, begin).id))
  } finally {
    await node.stop()
  }
})

testOnBoth('two nodes that continue one event export at the same moment write each chunk once', async () => {
  await start()
  await t.app.jobs.stop()
  const admin = await withRole(t, 'admin')
  await events(6_000, () => ({ reason: 'x'.repeat(400) }))
  const id = await asks(admin, { type: 'note.written' })
  await Promise.all([t.app.eventExports.perform(id, never), t.app.eventExports.perform(id, never)])
  await t.app.eventExports.perform(id, never)
  expect(await ended(admin, id)).toMatchObject({ status: 'made', events: 6_000 })
  const { text } = await admin.request(`${path}/${id}/content`)
  expect(text === (await admin.request('/admin/events/export?type=note.written')).text).toBe(true)
  expect(await ends()).toEqual([[id, { format: 'jsonl', status: 'made', events: 6_000 }]])
})

test('only the owner of an event export can read, download or delete it, and only with the role', async () => {
  await start()
  const admin = await withRole(t, 'admin')
  const other = await withRole(t, 'admin', 'other@audit.example')
  const id = await asks(admin)
  await ended(admin, id)
  for (const [address, method] of [
    [`${path}/${id}`, 'GET'],
    [`${path}/${id}/content`, 'GET'],
    [`${path}/${id}`, 'DELETE'],
  ] as const)
    expect(await codeOf(other, address, method)).toEqual(notFound)
  expect((await other.request(path)).json).toEqual({ exports: [], next: null })
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'admin@audit.example' }).update({ role: 'user' }))
  for (const address of [path, `${path}/${id}`, `${path}/${id}/content`])
    expect(await codeOf(admin, address)).toEqual([403, 'FORBIDDEN'])
})

test('an event export is deleted after a day, by its owner, and with its owner', async () => {
  await start()
  const admin = await withRole(t, 'admin')
  const left = () => t.app.core.db.knex('event_export_chunk').count({ count: '*' }).first()
  const first = await asks(admin)
  await ended(admin, first)
  expect(await codeOf(admin, `${path}/${first}`, 'DELETE')).toEqual([200, undefined])
  expect(await codeOf(admin, `${path}/${first}`)).toEqual(notFound)
  expect(Number((await left())?.['count'])).toBe(0)
  const second = await asks(admin)
  await ended(admin, second)
  t.clock.advance({ hours: 25 })
  expect(await codeOf(admin, `${path}/${second}/content`)).toEqual(notFound)
  expect((await admin.request(path)).json).toEqual({ exports: [], next: null })
  await t.wake('events.sweep')
  await vi.waitFor(async () => expect(Number((await left())?.['count'])).toBe(0), { timeout: 20_000, interval: 100 })
  await ended(admin, await asks(admin))
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'admin@audit.example' }).delete())
  expect(Number((await left())?.['count'])).toBe(0)
})

test('deleting an event export while it is written stops the writing', async () => {
  await start()
  await t.app.jobs.stop()
  const admin = await withRole(t, 'admin')
  await events(6_000, () => ({ reason: 'x'.repeat(400) }))
  const id = await asks(admin, { type: 'note.written' })
  await stopsAfterOneChunk(id)
  expect(await codeOf(admin, `${path}/${id}`, 'DELETE')).toEqual([200, undefined])
  await t.app.eventExports.perform(id, never)
  expect(await t.app.core.db.knex('event_export_chunk')).toEqual([])
})

testOnBoth('a person has at most ten event exports, and exports of other people do not count', async () => {
  await start()
  await t.app.jobs.stop()
  const admin = await withRole(t, 'admin')
  const other = await withRole(t, 'admin', 'other@audit.example')
  const answers = await Promise.all(Array.from({ length: 12 }, () => admin.post(path, {})))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.map(({ status, json }) => [status, json['code']])).toEqual([
    [429, 'TOO_MANY_EVENT_EXPORTS'],
    [429, 'TOO_MANY_EVENT_EXPORTS'],
  ])
  await asks(other)
})

testOnBoth(
  'an event export that becomes too large, or whose task failed for good, is reported as failed and leaves no data',
  async () => {
    await start({ maxExportMegabytes: 1 })
    await t.app.jobs.stop()
    const admin = await withRole(t, 'admin')
    await events(4_000, () => ({ reason: 'x'.repeat(400) }))
    const id = await asks(admin, { type: 'note.written' })
    await t.app.eventExports.perform(id, never)
    expect(await ended(admin, id)).toMatchObject({ status: 'failed', error: 'too-large' })
    const other = await asks(admin)
    await t.app.core.transact((tx) => tx.knex('task').where({ label: other }).update({ attempts: 6 }))
    const node = await t.node()
    try {
      expect(await ended(admin, other)).toMatchObject({ status: 'failed', error: 'interrupted' })
    } finally {
      await node.stop()
    }
    expect(await t.app.core.db.knex('event_export_chunk')).toEqual([])
    expect(await codeOf(admin, `${path}/${id}/content`)).toEqual([409, 'EVENT_EXPORT_NOT_MADE'])
    const failed = { format: 'jsonl', status: 'failed', events: 0 }
    expect(await ends()).toEqual([
      [id, failed],
      [other, failed],
    ])
  },
)
