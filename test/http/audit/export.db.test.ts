import { request } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { noteEvents, sealAll, writeNote } from '../../support/events.ts'
import { eventRow, insertEvents, withRole } from './people.ts'

const begin = new Date('2026-01-01T00:00:00Z')
let t: TestApp
beforeEach(async () => {
  t = await testApp()
  await t.app.jobs.stop()
})
afterEach(() => t.stop())

const linesOf = (text: string) => text.trimEnd().split('\n')

test('an export of events as JSON Lines contains every matching event, oldest first, and the export is recorded', async () => {
  const admin = await withRole(t, 'admin')
  t.app.events.register({ events: noteEvents })
  await insertEvents(
    t,
    Array.from({ length: 1_203 }, (_, n) => eventRow(n, begin, { subject_id: `u${n % 2}` })),
  )
  const { status, text, headers } = await admin.request('/admin/events/export?type=note.*&subject=u1')
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="events-\d{4}-\d\d-\d\d\.jsonl"/)
  const events = linesOf(text).map((line) => JSON.parse(line) as { id: string; occurredAt: string })
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 601 }, (_, n) => eventRow(2 * n + 1, begin).id))
  expect(events[0]).toEqual({
    ...{ id: 'e000000001', type: 'note.written', occurredAt: '2026-01-01T00:00:01.000Z', actorKind: 'user', actorId: 'nobody' },
    ...{ sessionId: 'none', impersonatorId: null, reason: null, subjectType: 'note', subjectId: 'u1', organizationId: null },
    ...{ address: '192.0.2.1', userAgent: 'a browser', requestId: 'r1', data: {}, position: null, hash: null },
  })
  expect(await t.app.audit.list({ type: 'events.exported' }, 10)).toMatchObject([
    { actorKind: 'user', data: { format: 'jsonl', filters: ['type', 'subject'] } },
  ])
})

test('an export of events as CSV makes formulas harmless and keeps quotes, commas and line breaks', async () => {
  const admin = await withRole(t, 'admin')
  const agents = ['=cmd|"/c calc"!A1', '+x', '-x', '@sum(1)', '\t=1', 'say "hi", now', 'two\nlines']
  await insertEvents(
    t,
    agents.map((agent, n) => eventRow(n, begin, { user_agent: agent })),
  )
  const { text, headers } = await admin.request('/admin/events/export?format=csv&type=note.written')
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(text.split('\n', 1)[0]?.split(',').slice(0, 4)).toEqual(['id', 'type', 'occurredAt', 'actorKind'])
  for (const cell of [`"'=cmd|""/c calc""!A1"`, `'+x`, `'-x`, `'@sum(1)`, `'\t=1`, '"say ""hi"", now"', '"two\nlines"'])
    expect(text).toContain(`,${cell},`)
})

test('closing the connection ends the query of an export', async () => {
  const admin = await withRole(t, 'admin')
  await insertEvents(
    t,
    Array.from({ length: 20_000 }, (_, n) => eventRow(n, begin, { user_agent: 'x'.repeat(500) })),
  )
  let reads = 0
  let last = 0
  t.app.core.db.knex.on('query', ({ sql }: { sql: string }) => {
    if (!sql.includes('from event')) return
    reads += 1
    last = performance.now()
  })
  const url = new URL('/admin/events/export?type=note.written', t.url)
  await new Promise<void>((resolve, reject) => {
    const call = request(
      url,
      { headers: { cookie: [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ') } },
      (answer) => {
        answer.once('data', () => {
          // The client stops reading, so the server sends only what the kernel buffers.
          answer.destroy()
          resolve()
        })
      },
    )
    call.once('error', reject)
    call.end()
  })
  await vi.waitFor(() => expect(performance.now() - last).toBeGreaterThan(300), { timeout: 60_000, interval: 50 })
  expect(reads).toBeLessThan(40)
}, 60_000)

test('the verification of the event chain over HTTP reports its progress and then its result', async () => {
  const admin = await withRole(t, 'auditor')
  t.app.events.register({ events: noteEvents })
  await t.app.core.transact(async (tx) => {
    for (let n = 0; n < 600; n += 1) await writeNote(t.app, tx, `n${n}`)
  })
  await sealAll(t)
  const { db } = t.app.core
  await db.knex('event').where({ position: 7 }).update({ request_id: 'another' })
  const { status, text } = await admin.request('/admin/events/verification')
  const lines = linesOf(text).map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(status).toBe(200)
  expect(lines.slice(0, -1)).toEqual([
    { progress: { from: 1, position: 500, to: expect.any(Number) } },
    { progress: { from: 1, position: expect.any(Number), to: expect.any(Number) } },
  ])
  expect(lines.at(-1)).toMatchObject({ result: { from: 1, faults: [{ kind: 'changed event', position: 7 }] } })
})

test('the export command writes the same events to standard output, and refuses an unknown format', async () => {
  await insertEvents(
    t,
    Array.from({ length: 700 }, (_, n) => eventRow(n, begin)),
  )
  const env = environmentOf(t.database)
  const since = '2026-01-01T00:10:00Z'
  const { exitCode, stdout, stderr } = await runCommand(['export-audit', '--since', since, '--until', '2026-01-02'], env)
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(linesOf(stdout).map((line) => JSON.parse(line).id)).toEqual(
    Array.from({ length: 100 }, (_, n) => eventRow(600 + n, begin).id),
  )
  const csv = await runCommand(['export-audit', '--format', 'csv', '--until', '2026-01-01T00:00:01Z'], env)
  expect(linesOf(csv.stdout)).toHaveLength(2)
  expect(await runCommand(['export-audit', '--format', 'xml'], env)).toMatchObject({ exitCode: 2 })
  expect(await runCommand(['export-audit', '--type', 'everything'], env)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--type'),
  })
})
