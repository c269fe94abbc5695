import { createConnection } from 'node:net'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { type EventStream, openStream } from '../../support/event-stream.ts'
import { noteEvents, sealAll, writeNote } from '../../support/events.ts'
import { withRole } from './people.ts'

const token = 'a token of more than sixteen characters'
let t: TestApp
let lines: string[] = []
const opened: EventStream[] = []
beforeEach(async () => {
  lines = []
  t = await testApp({ config: { metrics: { token }, events: { maxStreams: 6 } }, onLog: (line) => void lines.push(line) })
  t.app.events.register({ events: noteEvents })
})
afterEach(async () => {
  for (const stream of opened.splice(0)) await stream.close()
  await t.stop()
})

const open = async (client: Client, lastEventId?: string): Promise<EventStream> => {
  const stream = await openStream(client, lastEventId)
  opened.push(stream)
  return stream
}
const note = (id: string, { app }: TestApp = t) => app.core.transact((tx) => writeNote(app, tx, id))
const seenBy = async (stream: EventStream, id: string) => {
  for (;;) {
    const message = await stream.next(({ event }) => event === 'changes')
    if (message === undefined) throw new Error(`the stream ended before ${id}`)
    if (message.data.events?.some(({ subjectId }) => subjectId === id) === true) return message
  }
}
/** The ids of all subjects that the stream names, up to this one. A node that reads events one by one also sends them one by one. */
const idsUpTo = async (stream: EventStream, last: string) => {
  const ids: string[] = []
  while (!ids.includes(last)) {
    const message = await stream.next()
    if (message === undefined) throw new Error(`the stream ended before ${last}`)
    ids.push(...(message.data.events ?? []).map(({ subjectId }) => subjectId))
  }
  return ids
}
const codeOf = async (client: Client, headers: Record<string, string> = {}) => {
  const { status, json } = await client.request('/admin/events/stream', { headers })
  return [status, json['code']]
}
const gauge = async () => {
  const { text } = await t.client().request('/metrics', { headers: { authorization: `Bearer ${token}` } })
  return Number(/^gatehouse_event_streams (\d+)$/m.exec(text)?.[1])
}

test('an open event stream gets an event with type and ids but no data, and proxies are told not to buffer', async () => {
  const admin = await withRole(t, 'admin')
  await sealAll(t)
  await t.clock.advance({ minutes: 1 })
  const stream = await open(admin)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.response.headers.get('cache-control')).toBe('no-store')
  expect(stream.response.headers.get('x-accel-buffering')).toBe('no')
  expect(await stream.next()).toMatchObject({ event: 'changes', data: { events: [] } })
  await note('a note')
  const { id, data } = await seenBy(stream, 'a note')
  expect(data.events?.find(({ subjectId }) => subjectId === 'a note')).toEqual({
    ...{ id: expect.any(String), type: 'note.written', occurredAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    ...{ subjectType: 'note', subjectId: 'a note', organizationId: null, requestId: 'events-test' },
  })
  expect(Number(id)).toBeGreaterThan(0)
})

testOnBoth('an event recorded and sealed by another node arrives in the event streams of this node', async () => {
  const other = await t.node()
  other.app.events.register({ events: noteEvents })
  try {
    const stream = await open(await withRole(t, 'admin'))
    await note('elsewhere', other)
    await seenBy(stream, 'elsewhere')
  } finally {
    await other.stop()
  }
})

test('only sessions whose role may read events can open an event stream', async () => {
  const auditor = await withRole(t, 'auditor')
  expect((await open(auditor)).response.status).toBe(200)
  const owner = await withRole(t, 'user')
  expect((await owner.post('/organization/create', { name: 'Acme', slug: 'acme' })).status).toBe(200)
  expect(await codeOf(owner)).toEqual([403, 'FORBIDDEN'])
  expect(await codeOf(t.client())).toEqual([401, 'UNAUTHORIZED'])
  const admin = await withRole(t, 'admin')
  const { key } = await admin.api.apiKeys.createApiKey({ body: { name: 'a key', permissions: ['events:read'] } })
  expect(await codeOf(t.client(), { authorization: `Bearer ${key}` })).toEqual([403, 'FORBIDDEN'])
})

test.each([
  [
    'the session is ended elsewhere',
    async (id: string) => void (await t.app.core.db.knex('session').where('user_id', id).delete()),
  ],
  [
    'the role is taken away',
    async (id: string) => void (await t.app.core.db.knex('user').where({ id }).update({ role: 'user' })),
  ],
  [
    'the person is banned',
    async (id: string) => {
      await t.app.administration.ban(systemPrincipal('test'), id, 'spam', undefined)
    },
  ],
  ['the session expires', async () => t.clock.advance({ days: 8 })],
])('an event stream ends when %s, and sends no later event', async (_, end) => {
  const auditor = await withRole(t, 'auditor')
  const witness = await withRole(t, 'admin')
  const { id } = (await t.app.core.db.knex('user').where({ email: 'auditor@audit.example' }).first('id')) as { id: string }
  const stream = await open(auditor)
  await open(witness)
  await end(id)
  await note('a secret')
  await t.wake('events.seal')
  const told: string[] = []
  for (;;) {
    const message = await stream.next()
    if (message === undefined) break
    told.push(message.event, ...(message.data.events ?? []).map(({ subjectId }) => subjectId))
    if (message.event === 'end') expect(message.data).toEqual({ reason: 'access' })
  }
  expect(told.at(-1)).toBe('end')
  expect(told).not.toContain('a secret')
})

test('an event stream begins with the events of the last moments, because the page was read before it connects', async () => {
  const admin = await withRole(t, 'admin')
  await note('long ago')
  await t.clock.advance({ minutes: 1 })
  await note('just now')
  await sealAll(t)
  const stream = await open(admin)
  expect((await stream.next())?.data.events?.map(({ subjectId }) => subjectId)).toEqual(['just now'])
})

testOnBoth('an event stream resumes where an earlier stream broke off, even at another node', async () => {
  const admin = await withRole(t, 'admin')
  const first = await open(admin)
  await note('one')
  const { id } = await seenBy(first, 'one')
  await first.close()
  await note('two')
  await note('three')
  await sealAll(t)
  const again = await open(admin, id)
  expect(await idsUpTo(again, 'three')).toEqual(['two', 'three'])

  // The first node is gone, and this node has sent no events yet.
  const other = await t.node()
  try {
    const client = other.client()
    for (const [name, value] of admin.cookies) client.cookies.set(name, value)
    const moved = await open(client, id)
    expect(await idsUpTo(moved, 'three')).toEqual(['two', 'three'])
  } finally {
    await other.stop()
  }
})

test('a client of the event stream that missed more than the buffer holds, or names an unknown position, is told to reload', async () => {
  const admin = await withRole(t, 'admin')
  await t.app.core.transact(async (tx) => {
    for (let n = 0; n < 520; n += 1) await writeNote(t.app, tx, `n${n}`)
  })
  await sealAll(t)
  for (const place of ['3', '999999999', 'nonsense', '-1', '1e3']) {
    const stream = await open(admin, place)
    expect(await stream.next()).toMatchObject({ event: 'reset', id: expect.stringMatching(/^\d+$/) })
    await stream.close()
    await vi.waitFor(async () => expect(await gauge()).toBe(0), 60_000)
  }
})

test('a session has at most four event streams and a node a configured number, and closing a stream frees its place at once', async () => {
  const admin = await withRole(t, 'admin')
  const auditor = await withRole(t, 'auditor')
  const support = await withRole(t, 'support')
  const own = [await open(admin), await open(admin), await open(admin), await open(admin)]
  expect(await codeOf(admin)).toEqual([429, 'TOO_MANY_EVENT_STREAMS_OF_THIS_SESSION'])
  await open(auditor)
  await open(auditor)
  const { status, json, headers } = await support.request('/admin/events/stream')
  expect([status, json['code'], headers.get('retry-after')]).toEqual([503, 'TOO_MANY_EVENT_STREAMS', '60'])
  await own[0]?.close()
  await vi.waitFor(async () => expect(await gauge()).toBe(5), 60_000)
  await open(support)
})

test('an idle event stream ends after ten minutes, and its client is told to open a new stream', async () => {
  const stream = await open(await withRole(t, 'admin'))
  await t.clock.advance({ minutes: 11 })
  const end = await stream.next(({ event }) => event === 'end')
  expect(end?.data).toEqual({ reason: 'renew' })
  expect(await stream.next()).toBeUndefined()
})

test("an event stream does not extend its reader's session, neither when it opens nor while it is open", async () => {
  const admin = await withRole(t, 'admin')
  await t.clock.advance({ days: 2 })
  const { knex } = t.app.core.db
  const sessions = () => knex('session').orderBy('id').select('id', 'expires_at', 'updated_at')
  const before = await sessions()
  const stream = await open(admin)
  await t.wake('events.stream')
  await note('seen')
  await seenBy(stream, 'seen')
  expect(await sessions()).toEqual(before)
})

test('an idle event stream sends a comment from time to time', async () => {
  const stream = await open(await withRole(t, 'admin'))
  await t.wake('events.stream')
  // An event that shows that the wait is over.
  await note('after')
  await seenBy(stream, 'after')
  await t.wake('events.stream')
  await note('later')
  await seenBy(stream, 'later')
  expect(stream.beats()).toBeGreaterThan(0)
})

testOnBoth('any number of event streams share one query', async () => {
  const admin = await withRole(t, 'admin')
  const streams = [await open(admin), await open(admin), await open(admin)]
  let reads = 0
  t.app.core.db.knex.on('query', ({ sql }: { sql: string }) => {
    if (sql.includes('position > ') && sql.includes('position <= ')) reads += 1
  })
  await note('shared')
  const told = await Promise.all(streams.map((stream) => seenBy(stream, 'shared')))
  expect(new Set(told.map(({ id }) => id)).size).toBe(1)
  expect(reads).toBeLessThan(streams.length)
})

test('a node that stops ends its event streams and accepts no new streams', async () => {
  const admin = await withRole(t, 'admin')
  const stream = await open(admin)
  t.app.drain()
  expect((await stream.next(({ event }) => event === 'end'))?.data).toEqual({ reason: 'stopping' })
  expect(await stream.next()).toBeUndefined()
  expect(await codeOf(admin)).toEqual([503, 'SERVICE_UNAVAILABLE'])
})

test('open event streams do not count in request durations, and a closed stream is not logged as an aborted request', async () => {
  const stream = await open(await withRole(t, 'admin'))
  expect(await gauge()).toBe(1)
  await stream.close()
  await vi.waitFor(async () => expect(await gauge()).toBe(0), 60_000)
  await vi.waitFor(() => expect(lines.some((line) => line.includes('/admin/events/stream'))).toBe(true), 60_000)
  const line = JSON.parse(lines.find((one) => one.includes('/admin/events/stream')) ?? '{}')
  expect([line.msg, line.status]).toEqual(['request', 200])
  const { text } = await t.client().request('/metrics', { headers: { authorization: `Bearer ${token}` } })
  expect(text).not.toContain('route="/admin/events/stream"')
})

test('a client that does not read its event stream is disconnected', async () => {
  const admin = await withRole(t, 'admin')
  const { port } = new URL(t.url)
  const socket = createConnection({ host: 'localhost', port: Number(port) })
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  socket.pause()
  socket.write(`GET /admin/events/stream HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: ${cookie}\r\n\r\n`)
  await vi.waitFor(async () => expect(await gauge()).toBe(1), 60_000)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  for (let round = 0; (await gauge()) === 1; round += 1) {
    if (round > 200) throw new Error('it is still open')
    await t.app.core.transact(async (tx) => {
      for (let n = 0; n < 400; n += 1) await writeNote(t.app, tx, `r${round}-${n}-${'x'.repeat(150)}`)
    })
    await sealAll(t)
    await t.wake('events.stream')
  }
  socket.destroy()
  await closed
})
