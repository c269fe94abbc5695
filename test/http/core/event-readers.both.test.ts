import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EventReader, readEvents, runReader } from '../../../src/core/events/readers.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { noteEvents, sealAll, writeNote, writer } from '../../support/events.ts'

let t: TestApp
beforeEach(async () => {
  t = await testApp()
  await t.app.jobs.stop()
  await t.app.core.db.knex('event').delete()
  t.app.events.register({ events: noteEvents })
})
afterEach(() => t.stop())

const running = () => new AbortController().signal
const write = (id: string) => t.app.core.transact((tx) => writeNote(t.app, tx, id))

/** A reader of all types that stores its events and then runs the handler of the test. */
const reader = (meanwhile: (id: string) => Promise<void> | void = () => undefined, more: Partial<EventReader> = {}) => {
  const seen: string[] = []
  const self: EventReader = {
    name: 'test',
    startsAt: 'oldest',
    handle: async ({ subjectId }) => {
      await meanwhile(subjectId)
      seen.push(subjectId)
    },
    ...more,
  }
  return { seen, read: (node = t, stop = running()) => runReader(node.app.core, self, stop) }
}

test('an event reader gets every sealed event once, in the order of the chain, and then the new events', async () => {
  const { seen, read } = reader()
  for (const id of ['a', 'b']) await write(id)
  await read()
  expect(seen).toEqual([])
  await sealAll(t)
  await read()
  await write('c')
  await sealAll(t)
  await read()
  await read()
  expect(seen).toEqual(['a', 'b', 'c'])
})

test('an event reader that starts at the newest event gets no earlier event', async () => {
  const { seen, read } = reader(undefined, { startsAt: 'newest' })
  await write('old')
  await sealAll(t)
  await read()
  await write('new')
  await sealAll(t)
  await read()
  expect(seen).toEqual(['new'])
})

test('an event reader of one type gets its data and no events of other types', async () => {
  const lengths: number[] = []
  const self = readEvents(noteEvents['note.written'], {
    name: 'lengths',
    startsAt: 'oldest',
    handle: async ({ data }) => void lengths.push(data.length),
  })
  await write('four')
  await t.app.core.transact((tx) => t.app.events.record(tx, writer, noteEvents['note.torn'], { subject: 'four', data: {} }))
  await write('seven77')
  await sealAll(t)
  await runReader(t.app.core, self, running())
  expect(lengths).toEqual([4, 7])
  const { position } = await t.app.core.db.knex('event_reader').where({ name: 'lengths' }).first()
  expect(position).toBe(3)
})

test('an event whose handler failed is delivered again, and earlier events are not', async () => {
  let isBroken = true
  const { seen, read } = reader((id) => {
    if (id === 'b' && isBroken) throw new Error('the receiver is away')
  })
  for (const id of ['a', 'b', 'c']) await write(id)
  await sealAll(t)
  await expect(read()).rejects.toThrow('the receiver is away')
  isBroken = false
  await read()
  expect(seen).toEqual(['a', 'b', 'c'])
})

test("events that a dead node was reading are read by another node once the dead node's lease has expired", async () => {
  const node = await t.node()
  await node.app.jobs.stop()
  for (const id of ['a', 'b']) await write(id)
  await sealAll(t)
  const dead = reader((id) => (id === 'b' ? new Promise(() => undefined) : undefined))
  // The handler never returns, like a node that was killed.
  void dead.read(t)
  while (dead.seen.length === 0) await new Promise(setImmediate)
  const { seen, read } = reader()
  await read(node)
  expect(seen).toEqual([])
  t.clock.advance({ minutes: 2 })
  await read(node)
  expect(seen).toEqual(['a', 'b'])
  await node.stop()
})

test('only one node at a time runs an event reader', async () => {
  const node = await t.node()
  await node.app.jobs.stop()
  for (const id of ['a', 'b', 'c']) await write(id)
  await sealAll(t)
  const { seen, read } = reader(() => new Promise(setImmediate))
  await Promise.all([read(t), read(node), read(t), read(node)])
  expect(seen).toEqual(['a', 'b', 'c'])
  await node.stop()
})

test('an event that commits after the event reader passed its time is not skipped', async () => {
  const { seen, read } = reader()
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const late = t.app.core.transact(async (tx) => {
    await writeNote(t.app, tx, 'late')
    started.resolve()
    await release.promise
  })
  await started.promise
  const early = write('early')
  // SQLite allows one writer at a time, so the second one waits there.
  if (t.app.database.dialect === 'sqlite') release.resolve()
  await early
  await sealAll(t)
  await read()
  release.resolve()
  await late
  await sealAll(t)
  await read()
  expect(seen.toSorted()).toEqual(['early', 'late'])
})

test('a stopped event reader keeps its position', async () => {
  const stop = new AbortController()
  const { seen, read } = reader((id) => {
    if (id === 'b') stop.abort()
  })
  for (const id of ['a', 'b', 'c']) await write(id)
  await sealAll(t)
  await read(t, stop.signal)
  expect(seen).toEqual(['a', 'b'])
  await read()
  expect(seen).toEqual(['a', 'b', 'c'])
})

test('with events.log every event is also written to the log', async () => {
  const lines: string[] = []
  const logged = await testApp({ config: { events: { log: true } }, onLog: (line) => lines.push(line) })
  logged.app.events.register({ events: noteEvents })
  const found = () => lines.map((line) => JSON.parse(line)).find((line) => line.msg === 'event')
  // The reader reads events recorded after its first run.
  const { knex } = logged.app.core.db
  await vi.waitFor(async () => expect(await knex('event_reader').where({ name: 'log' }).first()).toBeDefined(), 60_000)
  await logged.app.core.transact((tx) => writeNote(logged.app, tx, 'seen'))
  await vi.waitFor(async () => {
    await logged.wake('events.seal', 'events.read.log')
    expect(found()).toBeDefined()
  }, 60_000)
  expect(found()).toMatchObject({ type: 'note.written', subjectId: 'seen', actorKind: 'system', position: expect.any(Number) })
  await logged.stop()
})
