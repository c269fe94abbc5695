import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Reaction, reactTo } from '../../../src/core/events/record.ts'
import { defineEvents } from '../../../src/core/events/types.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { eventsOf, isWritten, noteEvents, writeNote, writer } from '../../support/events.ts'
import { countStatements } from '../organizations/people.ts'

/** The reaction to an event of the type torn note, chosen by each test. */
let onTorn: Reaction['react'] = async () => undefined
let t: TestApp
beforeAll(async () => {
  t = await testApp()
  await t.app.jobs.stop()
  t.app.events.register({
    events: noteEvents,
    reactions: [reactTo(noteEvents['note.torn'], (tx, event, call) => onTorn(tx, event, call))],
  })
})
afterAll(() => t.stop())

const eventsAbout = async (id: string) => (await eventsOf(t)).filter(({ subject_id }) => subject_id === id)

test('an event exists with all its fields, unsealed, once its transaction has committed', async () => {
  await t.app.core.transact((tx) => writeNote(t.app, tx, 'first'))
  expect(await eventsAbout('first')).toEqual([
    expect.objectContaining({
      ...{ type: 'note.written', subject_type: 'note', data: '{"length":5}', position: null, hash: null },
      ...{ actor_kind: 'system', actor_id: null, session_id: null, impersonator_id: null, organization_id: null },
      ...{ address: '', user_agent: '', request_id: 'events-test' },
    }),
  ])
})

test('an event does not exist when its transaction is rolled back', async () => {
  const failing = t.app.core.transact(async (tx) => {
    await writeNote(t.app, tx, 'undone')
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  expect([await isWritten(t, 'undone'), await eventsAbout('undone')]).toEqual([false, []])
})

test('all events of a transaction are written by one statement', async () => {
  const statements = await countStatements(t, () =>
    t.app.core.transact(async (tx) => {
      for (const id of ['a', 'b', 'c'])
        await t.app.events.record(tx, writer, noteEvents['note.written'], { subject: `many-${id}`, data: { length: 1 } })
    }),
  )
  expect(statements).toEqual(['insert'])
  expect((await eventsOf(t)).filter(({ subject_id }) => subject_id.startsWith('many-'))).toHaveLength(3)
})

test('an event names the user, the session, the network address and the request of a call', async () => {
  const actor = { ...writer, kind: 'user', user: { id: 'u1' }, session: { id: 's1' }, impersonatorId: 'u2', address: '192.0.2.1' }
  await t.app.core.transact((tx) =>
    t.app.events.record(tx, { ...actor, userAgent: 'a browser' }, noteEvents['note.torn'], {
      subject: 'called',
      organizationId: 'o1',
      data: {},
    }),
  )
  expect(await eventsAbout('called')).toEqual([
    expect.objectContaining({
      ...{ actor_kind: 'user', actor_id: 'u1', session_id: 's1', impersonator_id: 'u2', organization_id: 'o1' },
      ...{ address: '192.0.2.1', user_agent: 'a browser' },
    }),
  ])
})

test('undeclared data of an event is not stored, and wrong data rolls the change back', async () => {
  const record = (subject: string, data: unknown) =>
    t.app.core.transact((tx) =>
      t.app.events.record(tx, writer, noteEvents['note.written'], { subject, data: data as { length: number } }),
    )
  await record('spread', { length: 3, password: 'hunter2' })
  expect((await eventsAbout('spread')).map(({ data }) => data)).toEqual(['{"length":3}'])
  await expect(record('wrong', { length: 'three' })).rejects.toThrow('expected number')
  expect(await eventsAbout('wrong')).toEqual([])
})

test("a reaction to an event runs in the transaction of the event and sees the event's data", async () => {
  onTorn = async (tx, { subjectId }) =>
    void (await tx
      .knex('rate_limit')
      .where({ key: `note:${subjectId}` })
      .delete())
  await t.app.core.transact((tx) => writeNote(t.app, tx, 'kept'))
  await t.app.core.transact((tx) => t.app.events.record(tx, writer, noteEvents['note.torn'], { subject: 'kept', data: {} }))
  expect(await isWritten(t, 'kept')).toBe(false)
})

test('a reaction that throws rolls the change and all its events back', async () => {
  onTorn = () => Promise.reject(new Error('not this one'))
  const failing = t.app.core.transact(async (tx) => {
    await writeNote(t.app, tx, 'saved')
    await t.app.events.record(tx, writer, noteEvents['note.torn'], { subject: 'saved', data: {} })
  })
  await expect(failing).rejects.toThrow('not this one')
  expect([await isWritten(t, 'saved'), await eventsAbout('saved')]).toEqual([false, []])
})

test('an undeclared event cannot be recorded, and no event can be declared twice', async () => {
  const { 'page.read': unknown } = defineEvents({ 'page.read': { summary: 'Read.', subject: 'page', data: z.object({}) } })
  const recording = t.app.core.transact((tx) => t.app.events.record(tx, writer, unknown, { subject: 'p', data: {} }))
  await expect(recording).rejects.toThrow('no feature declares the event page.read')
  expect(() => t.app.events.register({ events: noteEvents })).toThrow('two features declare the event note.written')
})
